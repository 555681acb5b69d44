package toolcall

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// marker is a TOOL_CALL: that was seen. It takes the text from its line's
// decoration on; what belongs to it follows at end.
type marker struct {
	set       bool
	from, end int
}

const (
	// before are the bytes that may stand before a marker, blanks aside.
	before = "*_#>`-["
	// within are those between its word and its colon, and behind the colon.
	within = " \t*_`]\u00a0"
	// decoration is what may stand between a marker and its object without
	// being prose.
	decoration = " \t\r*_#>`-\u00a0\ufeff"
)

// markerAt returns where the marker whose word begins at s[i] ends.
func markerAt(s string, i int) (end int, ok bool) {
	const word = "tool_call"
	if i < 0 || i+len(word) > len(s) || !strings.EqualFold(s[i:i+len(word)], word) {
		return 0, false
	}
	end = skipAny(s, i+len(word), within)
	if end >= len(s) || s[end] != ':' {
		return 0, false
	}
	return skipAny(s, end+1, "*_`"), true
}

// skipAny goes over the characters of set, at most maxKey of them.
func skipAny(s string, i int, set string) int {
	for n := 0; i < len(s) && n < maxKey; n++ {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(set, r) {
			return i
		}
		i += size
	}
	return i
}

// lineMarker reports whether the line that begins at s[i] begins with a marker.
func lineMarker(s string, i int) bool {
	i = skipAny(s, i, " \t*_#>`-[")
	_, ok := markerAt(s, i)
	return ok
}

// nextLineMarker returns where the next line with a marker begins, from i on.
func nextLineMarker(s string, i int) int {
	for i < len(s) {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		if lineMarker(s, i) {
			return i
		}
	}
	return len(s)
}

// underscore looks whether a marker, or the tag of a list of calls, stands
// around the underscore at i.
func (s *scanner) underscore(i int) int {
	const list = "[TOOL_CALLS]"
	from := i - strings.IndexByte(list, '_')
	if from >= 0 && strings.HasPrefix(s.s[from:], list) {
		at := skipBlanks(s.s, from+len(list))
		if at < len(s.s) && s.s[at] == '[' {
			return s.candidate(at, form{kind: formList, from: from, source: dialectList})
		}
	}
	word := i - len("tool")
	end, ok := markerAt(s.s, word)
	if !ok || !mayPrecede(s.s[:word]) {
		return i + 1
	}
	s.marker = marker{set: true, from: markerStart(s.s, word), end: end}
	return end
}

// mayPrecede reports whether a marker may follow text.
func mayPrecede(text string) bool {
	if text == "" || strings.HasSuffix(text, "\u00a0") || strings.HasSuffix(text, "\ufeff") {
		return true
	}
	c := text[len(text)-1]
	return jsontext.Blank(c) || strings.IndexByte(before, c) >= 0
}

// markerStart returns where the decoration before a marker begins: at its
// line's start when nothing else stands there.
func markerStart(s string, word int) int {
	from := word
	for n := 0; from > 0 && n < maxKey && strings.IndexByte(" \t*_#>`-[", s[from-1]) >= 0; n++ {
		from--
	}
	if from == 0 || s[from-1] == '\n' {
		return from
	}
	for from = word; from > 0 && strings.IndexByte("*_`[", s[from-1]) >= 0; {
		from--
	}
	return from
}

// reaches reports whether the object at s[i] belongs to the marker: between
// them stand at most the opener of a code fence and one line of prose.
func (m marker) reaches(s string, i int) bool {
	lines := strings.Split(s[m.end:i], "\n")
	fences, prose := 0, 0
	for n, line := range lines {
		last := n == len(lines)-1
		bare := strings.Trim(line, decoration)
		switch {
		case bare == "" && !strings.Contains(line, "```"):
		case strings.Contains(line, "```") && !strings.ContainsAny(bare, " `"):
			fences++
		case last:
			return false
		default:
			prose++
		}
	}
	return fences <= 1 && prose <= 1
}

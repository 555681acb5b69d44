package toolcall

import (
	"strings"
	"unicode/utf8"
)

// Marker is a TOOL_CALL: in a text. It begins with the decoration of its line;
// what belongs to it follows at End. The zero value is none.
type Marker struct{ From, End int }

const (
	// beforeMarker are the bytes that may stand before a marker, blanks aside.
	beforeMarker = "*_#>`-["
	// lineDecoration may stand between the start of a line and a marker.
	lineDecoration = " \t" + beforeMarker
	// inMarker are those between its word and its colon, and behind the colon.
	inMarker = " \t*_`]\u00a0"
	// decoration is what may stand between a marker and its object without
	// being prose.
	decoration = " \t\r*_#>`-\u00a0\ufeff"
)

// MarkerAt returns the marker whose word begins at s[i].
func MarkerAt(s string, i int) (m Marker, ok bool) {
	if m.End, ok = markerWord(s, i); !ok || !mayPrecede(s[:i]) {
		return Marker{}, false
	}
	m.From = len(strings.TrimRight(s[max(0, i-MaxKey):i], lineDecoration)) + max(0, i-MaxKey)
	if m.From > 0 && s[m.From-1] != '\n' { // something else stands on the line
		m.From = len(strings.TrimRight(s[:i], "*_`["))
	}
	return m, true
}

// markerWord returns where the marker whose word begins at s[i] ends.
func markerWord(s string, i int) (end int, ok bool) {
	const word = "tool_call"
	if i < 0 || i+len(word) > len(s) || !strings.EqualFold(s[i:i+len(word)], word) {
		return 0, false
	}
	end = SkipAny(s, i+len(word), inMarker)
	if end >= len(s) || s[end] != ':' {
		return 0, false
	}
	return SkipAny(s, end+1, "*_`"), true
}

// mayPrecede reports whether a marker may follow text.
func mayPrecede(text string) bool {
	r, n := utf8.DecodeLastRuneInString(text)
	return n == 0 || strings.ContainsRune(" \t\r\n\u00a0\ufeff"+beforeMarker, r)
}

// Reaches reports whether the object at s[i] belongs to the marker: between
// them stand at most the opener of a code fence and one line of prose.
func (m Marker) Reaches(s string, i int) bool {
	lines := strings.Split(s[m.End:i], "\n")
	fences, prose := 0, 0
	for n, line := range lines {
		bare := strings.Trim(line, decoration)
		switch {
		case bare == "" && !strings.Contains(line, "```"):
		case strings.Contains(line, "```") && !strings.ContainsAny(bare, " `"):
			fences++
		case n == len(lines)-1:
			return false
		default:
			prose++
		}
	}
	return fences <= 1 && prose <= 1
}

// LineMarker reports whether the line that begins at s[i] begins with a marker.
func LineMarker(s string, i int) bool {
	_, ok := markerWord(s, SkipAny(s, i, lineDecoration))
	return ok
}

// NextLineMarker returns where the next line with a marker begins, from i on,
// or the end of s.
func NextLineMarker(s string, i int) int {
	for i < len(s) {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			break
		}
		if i += n + 1; LineMarker(s, i) {
			return i
		}
	}
	return len(s)
}

// SkipAny returns where the characters of set that stand at s[i] end, or 64 of
// them.
func SkipAny(s string, i int, set string) int {
	for n := 0; i < len(s) && n < MaxKey; n++ {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune(set, r) {
			return i
		}
		i += size
	}
	return i
}

package toolcall

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// triggers are the bytes at which anything can begin: an object, a tag, a list, the
// underscore of a marker, and the equals sign of a call that has no tag.
const triggers = "{<[_="

// span is a part of the text.
type span struct{ from, to int }

// mark is a tool's name and where its call stands.
type mark struct {
	tool string
	span
}

// scanner goes through one message.
type scanner struct {
	s       string
	normal  bool
	offered []chat.ToolSpec

	marker    Marker // the last one, while an object may still follow
	calls     []Call
	parts     []span // what calls take out of the text
	refused   []Refusal
	cut       bool
	json      Reader
	reasoning int // calls before this one were part of the reasoning
	looks     int // at the rest of the text for lost closers
	noArray   int // no array that is no call begins before this place
	thoughts  []span
	data      []span // JSON that is no call
	passed    []Explanation
	unknown   mark // the last whole call of a tool that is not known

	elementClosers, closers, lineEnds, objects Finder
}

func newScanner(text string, o Options) *scanner {
	s := &scanner{s: text, normal: normalEnd(o.FinishReason), offered: o.Tools}
	s.json = Reader{Text: text, Normal: s.normal, Tools: s}
	return s
}

// scan goes through the text. Each turn goes on behind what was looked at.
func (s *scanner) scan() {
	for i := s.next(0); i < len(s.s); i = s.next(i) {
		if end := s.row(i); end > 0 {
			s.marker, i = Marker{}, end
			continue
		}
		switch s.s[i] {
		case '=':
			i++
		case '_':
			i = s.underscore(i)
		case '<':
			i = s.angle(i)
		default:
			i = s.bracket(i)
		}
	}
}

// next returns where the next trigger is, from i on, or the end of the text.
func (s *scanner) next(i int) int {
	if n := strings.IndexAny(s.s[i:], triggers); n >= 0 {
		return i + n
	}
	return len(s.s)
}

// bracket looks at a brace or bracket and returns where to go on.
func (s *scanner) bracket(i int) int {
	if strings.HasPrefix(s.s[i:], "[THINK]") {
		return s.bracketThink(i)
	}
	at := SkipBlanks(s.s, i+1)
	object, list := s.s[i] == '{', at < len(s.s) && s.s[at] == '{'
	if m := s.marker; m.End > 0 && (object || list || at == len(s.s)) {
		s.marker = Marker{} // it is asked once, so that a long line costs no more than its length
		if m.Reaches(s.s, i) {
			return s.candidate(i, m.From, sourceMarker)
		}
	}
	switch {
	case object && keyFollows(s.s, i+1), !object && list:
		return s.candidate(i, i, sourceBare)
	case object || i < s.noArray:
		return i + 1
	}
	// Not an array of calls, but JSON all the same: what is in it is data.
	end, f := ValueEnd(s.s, i, 1)
	if f != jsontext.FaultNone {
		s.noArray = end
		return i + 1
	}
	s.data = append(s.data, span{i, end})
	return end
}

// keyFollows reports whether the text at i, behind a brace, begins with a key
// and its colon.
func keyFollows(s string, i int) bool {
	i, ok := skipComments(s, SkipBlanks(s, i))
	if !ok || i >= len(s) {
		return false
	}
	from, end := i, WordEnd(s, i)
	if OpensQuoted(s, i) {
		q := QuotedAt(s, i)
		if q.Closed && ColonAt(s, q.End) {
			return true
		}
		from, end = q.From, WordEnd(s, q.From) // a key that lost its quote
	} else if end > i && end < len(s) && (s[end] == '"' || s[end] == '\'') {
		end++
	}
	return end > from && ColonAt(s, end)
}

// skipComments goes over comments; ok is false when one is long or does not end.
func skipComments(s string, i int) (end int, ok bool) {
	for strings.HasPrefix(s[i:], "//") || strings.HasPrefix(s[i:], "/*") {
		closer := map[byte]string{'*': "*/", '/': "\n"}[s[i+1]]
		n := strings.Index(s[i:min(len(s), i+MaxTag)], closer)
		if n < 0 {
			return i, false
		}
		i = SkipBlanks(s, i+n+len(closer))
	}
	return i, true
}

// result puts together what was found.
func (s *scanner) result() Result {
	slices.SortStableFunc(s.refused, func(a, b Refusal) int { return a.Offset - b.Offset })
	left, from := make([]string, 0, len(s.parts)+1), 0
	for _, p := range s.parts {
		if p.from >= from {
			left = append(left, s.s[from:p.from])
			from = p.to
		}
	}
	left = append(left, s.s[from:])
	return Result{Calls: s.calls, Refused: s.refused, Leftover: strings.Join(left, ""), Incomplete: s.cut, Passed: s.passed}
}

// underscore looks whether a marker stands around the underscore at i.
func (s *scanner) underscore(i int) int {
	m, ok := MarkerAt(s.s, i-len("tool"))
	if !ok {
		return i + 1
	}
	s.marker = m
	return m.End
}

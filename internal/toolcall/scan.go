package toolcall

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// triggers are the bytes at which anything can begin: an object, a tag, an
// array, and the underscore of a marker. The latter two count for nothing where
// no object and no tag follows, so that text without these is searched twice.
const triggers = "{<[_"

// span is a part of the text.
type span struct{ from, to int }

// scanner goes through one message.
type scanner struct {
	s      string
	normal bool
	known  []chat.ToolSpec

	ahead    [len(triggers)]int // where each trigger comes next
	endsOpen bool               // the last byte opens an array

	marker    marker // the last one, while an object may still follow
	loose     looseTags
	calls     []placed
	parts     []span // what calls take out of the text
	refused   []Refusal
	cut       bool
	reasoning int // calls before this one were part of the reasoning
	tries     int // of the repair library
	looks     int // at the rest of the text for lost closers
	noArray   int // no array that is no call begins before this place

	elementClosers, parameterClosers, parameters, lineEnds finder
}

func newScanner(text string, o Options) *scanner {
	return &scanner{
		s: text, ahead: [len(triggers)]int{-1, -1, -1, -1}, normal: normalEnd(o.FinishReason), known: o.Tools,
		endsOpen:       strings.HasSuffix(strings.TrimRight(text, " \t\r\n"), "["),
		elementClosers: finder{needle: "</" + elementName}, parameterClosers: finder{needle: "</" + parameterName + ">"},
		parameters: finder{needle: "<" + parameterTag}, lineEnds: finder{needle: "\n"},
	}
}

func (s *scanner) knows(name string) bool {
	_, ok := s.spec(name)
	return ok
}

// scan takes the text in. Each turn goes on behind what was looked at.
func (s *scanner) scan() {
	for i := s.next(0); i < len(s.s); i = s.next(i) {
		switch s.s[i] {
		case '_':
			i = s.underscore(i)
		case '<':
			i = s.angle(i)
		default:
			i = s.bracket(i)
		}
	}
	if !s.normal && s.loose.open > 0 {
		s.loose.refuse(s) // the value was cut
	}
}

// next returns where the next trigger is, from i on, or the end of the text.
func (s *scanner) next(i int) int {
	first := len(s.s)
	for k := range s.ahead {
		if s.ahead[k] < i {
			s.ahead[k] = len(s.s)
			if n := strings.IndexByte(s.s[i:], triggers[k]); n >= 0 {
				s.ahead[k] = i + n
			}
		}
		first = min(first, s.ahead[k])
		if k == 1 && first == len(s.s) && !s.endsOpen {
			break
		}
	}
	return first
}

// finder finds a needle again and again, each part of the text being searched
// once: places asked for only grow.
type finder struct {
	needle string
	from   int // the last search went from here
	at     int // to here, where it found the needle or the end
}

// next returns where the needle comes next in s, or the end of s.
func (f *finder) next(s string, i int) int {
	i = min(i, len(s))
	if f.at > 0 && f.from <= i && i <= f.at {
		return f.at
	}
	f.from, f.at = i, len(s)
	if n := strings.Index(s[i:], f.needle); n >= 0 {
		f.at = i + n
	}
	return f.at
}

// bracket looks at a brace or bracket and returns where to go on.
func (s *scanner) bracket(i int) int {
	at := skipBlanks(s.s, i+1)
	object, list := s.s[i] == '{', at < len(s.s) && s.s[at] == '{'
	if m := s.marker; m.set && (object || list || at == len(s.s)) {
		s.marker = marker{} // it is asked once, so that a long line costs no more than its length
		if m.reaches(s.s, i) {
			return s.candidate(i, form{kind: formMarker, from: m.from, source: sourceMarker})
		}
	}
	switch {
	case object && keyFollows(s.s, i+1), !object && list:
		return s.candidate(i, form{kind: formBare, from: i, source: sourceBare})
	case object || i < s.noArray:
		return i + 1
	}
	// Not an array of calls, but JSON all the same: what is in it is data.
	end, f := strictValue(s.s, i, 1)
	if f != jsontext.FaultNone {
		s.noArray = end
		return i + 1
	}
	return end
}

// maxLead bounds the comments that may stand before the first key.
const maxLead = 200

// keyFollows reports whether the text at i, behind a brace, begins with a key
// and its colon.
func keyFollows(s string, i int) bool {
	i, ok := skipComments(s, skipBlanks(s, i))
	if !ok || i >= len(s) {
		return false
	}
	from, end := i, wordEnd(s, i)
	if opensString(s, i) {
		q := scanQuoted(s, i)
		if q.closed && colonAt(s, q.end) {
			return true
		}
		from, end = q.from, wordEnd(s, q.from) // a key that lost its quote
	} else if end < len(s) && (s[end] == '"' || s[end] == '\'') {
		return end > i && colonAt(s, end+1)
	}
	return end > from && colonAt(s, end)
}

// skipComments goes over comments; ok is false when one does not end soon.
func skipComments(s string, i int) (end int, ok bool) {
	window := s[:min(len(s), i+maxLead)]
	for strings.HasPrefix(s[i:], "//") || strings.HasPrefix(s[i:], "/*") {
		closer := map[byte]string{'*': "*/", '/': "\n"}[s[i+1]]
		n := strings.Index(window[min(i, len(window)):], closer)
		if n < 0 {
			return i, false
		}
		i = skipBlanks(s, i+n+len(closer))
	}
	return i, true
}

// colonAt reports whether a colon stands at s[i], blanks aside, and is not
// part of an operator or an address.
func colonAt(s string, i int) bool {
	i = skipBlanks(s, i)
	return i < len(s) && s[i] == ':' && (i+1 == len(s) || strings.IndexByte(":=/", s[i+1]) < 0)
}

// result puts together what was found.
func (s *scanner) result() Result {
	r := Result{Refused: s.refused, Incomplete: s.cut}
	slices.SortStableFunc(r.Refused, func(a, b Refusal) int { return a.Offset - b.Offset })
	if len(s.calls) > 0 {
		r.Calls = make([]Call, 0, len(s.calls))
	}
	for _, c := range s.calls {
		r.Calls = append(r.Calls, c.Call)
	}
	var b strings.Builder
	from := 0
	for _, p := range s.parts {
		if p.from >= from {
			b.WriteString(s.s[from:p.from])
			from = p.to
		}
	}
	if r.Leftover = s.s; from > 0 {
		r.Leftover = b.String() + s.s[from:]
	}
	return r
}

package validate

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/schema"
)

// valueFault tries the rules about the JSON value of a line that is neither
// empty nor blank.
func valueFault(line []byte) *fault {
	s := newScan(line)
	ok := s.value()
	if ok && s.pos == len(line) {
		return s.contentFault()
	}
	if at := tooDeep(line); at >= 0 {
		return &fault{lineDepth, at + 1, fmt.Sprintf("values are nested deeper than %d", schema.MaxDepth),
			"more", fmt.Sprintf("at most %d levels", schema.MaxDepth)}
	}
	if f := affixFault(line); f != nil {
		return f
	}
	trimmed := bytes.TrimLeft(line, " ")
	inner := newScan(bytes.TrimRight(trimmed, " "))
	if inner.value() && inner.pos == len(inner.src) { // blanks round a value that is no object
		f := inner.contentFault()
		f.column += len(line) - len(trimmed)
		return f
	}
	s.blanks()
	return syntaxFault(line, s.pos, ok)
}

// tooDeep returns the offset of the first bracket outside a text that opens one
// level too many, -1 when there is none. It needs no syntax: a line that is no
// JSON breaks the rule too, which comes before those about the syntax.
func tooDeep(line []byte) int {
	depth, text := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case text:
		case c == '{', c == '[':
			if depth++; depth > schema.MaxDepth {
				return i
			}
		case c == '}', c == ']':
			depth = max(depth-1, 0)
		}
	}
	return -1
}

// contentFault tries the rules about a value that was read to its end.
func (s *scan) contentFault() *fault {
	switch {
	case s.surrogate >= 0:
		return &fault{lineSurrogate, s.surrogate + 1, "an escape leaves a lone surrogate",
			quote(string(s.src[s.surrogate : s.surrogate+6])), "both halves of a pair"}
	case s.src[0] != '{':
		got := kind((&scan{src: s.src}).build(nil))
		return &fault{lineNotObject, 1, "the line is " + got + ", want an object", got, "an object"}
	case s.repeated >= 0:
		key := scan{src: s.src, pos: s.repeated}
		key.skip()
		name := quote(string(unquote(s.src[s.repeated:key.pos])))
		return &fault{lineDuplicateKey, s.repeated + 1, "the key " + name + " stands twice in one object",
			name + " again", "each key once"}
	}
	return nil
}

// affixFault tells a line that holds exactly one object and other bytes round
// it from one that is not JSON at all.
func affixFault(line []byte) *fault {
	from, to, ok := findValue(line, "{")
	if !ok || holdsValue(line[:from]) || holdsValue(line[to:]) {
		return nil
	}
	if from > 0 {
		got := quote(string(line[:from]))
		return &fault{lineAffix, 1, got + " stands before the object, want nothing", got, "nothing"}
	}
	got := quote(string(line[to:]))
	return &fault{lineAffix, to + 1, got + " stands after the object, want nothing", got, "nothing"}
}

// holdsValue reports whether part is a JSON value or holds a list or object.
func holdsValue(part []byte) bool {
	s := newScan(bytes.Trim(part, " "))
	if s.value() && s.pos == len(s.src) {
		return true
	}
	_, _, ok := findValue(part, "{[")
	return ok
}

// maxTries bounds how often findValue reads a line, whatever it holds.
const maxTries = 4

// findValue returns the bounds of the first complete value that begins with
// one of the opening brackets. An object that begins well and breaks off ends
// the search: what lies in it is its own.
func findValue(line []byte, opening string) (from, to int, ok bool) {
	for range maxTries {
		i := bytes.IndexAny(line[from:], opening)
		if i < 0 {
			break
		}
		from += i
		s := newScan(line)
		s.pos = from
		if s.value() {
			return from, s.pos, true
		}
		if from++; line[from-1] == '{' && bytes.HasPrefix(bytes.TrimLeft(line[from:], " "), []byte{'"'}) {
			break
		}
	}
	return 0, 0, false
}

// syntaxFault says where a line stops to be one JSON value.
func syntaxFault(line []byte, at int, complete bool) *fault {
	if at >= len(line) {
		return &fault{lineJSON, len(line) + 1, "the line ends inside a value", "end of line", "the rest of the value"}
	}
	_, size := utf8.DecodeRune(line[at:])
	got, want := quote(string(line[at:at+size])), "JSON"
	if complete {
		want = "the end of the line"
	}
	return &fault{lineJSON, at + 1, fmt.Sprintf("%s at column %d, want %s", got, at+1, want), got, want}
}

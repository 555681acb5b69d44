package validate

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// reader reads lines.
type reader = jsontext.Reader[[]byte]

// newReader returns a reader at the beginning of src.
func newReader(src []byte) *reader { return &reader{Src: src, Room: schema.MaxDepth} }

// readWhole reads the value that src begins with, and notes what the rules about
// it ask for.
func readWhole(src []byte) (r *reader, whole bool) {
	r = newReader(src)
	r.Notes = new(jsontext.Notes)
	return r, r.Skip() && r.Pos == len(src)
}

// valueFault tries the rules about the JSON value of a line that is neither
// empty nor blank.
func valueFault(line []byte) *fault {
	r, whole := readWhole(line)
	if whole {
		return contentFault(r)
	}
	if at := tooDeep(line); at >= 0 {
		return &fault{lineDepth, at + 1, fmt.Sprintf("values are nested deeper than %d", schema.MaxDepth),
			"more", fmt.Sprintf("at most %d levels", schema.MaxDepth)}
	}
	if f := affixFault(line); f != nil {
		return f
	}
	trimmed := bytes.TrimLeft(line, " ")
	if inner, whole := readWhole(bytes.TrimRight(trimmed, " ")); whole { // blanks round a value that is no object
		f := contentFault(inner)
		f.column += len(line) - len(trimmed)
		return f
	}
	r.Blanks()
	return syntaxFault(line, r.Pos, r.Fault == jsontext.FaultNone)
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
func contentFault(r *reader) *fault {
	surrogate, repeated := r.Notes.Surrogate, r.Notes.Repeated
	switch {
	case surrogate > 0:
		return &fault{lineSurrogate, surrogate + 1, "an escape leaves a lone surrogate",
			quote(string(r.Src[surrogate : surrogate+6])), "both halves of a pair"}
	case r.Src[0] != '{':
		got := kind(decode(r.Src))
		return &fault{lineNotObject, 1, "the line is " + got + ", want an object", got, "an object"}
	case repeated > 0:
		key := reader{Src: r.Src, Pos: repeated}
		key.Skip()
		name := quote(string(jsontext.Unquote(r.Src[repeated:key.Pos])))
		return &fault{lineDuplicateKey, repeated + 1, "the key " + name + " stands twice in one object",
			name + " again", "each key once"}
	}
	return nil
}

// affixFault finds a line that holds exactly one object and other bytes round
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
	if _, whole := readWhole(bytes.Trim(part, " ")); whole {
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
		r := newReader(line)
		r.Pos = from
		if r.Skip() {
			return from, r.Pos, true
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

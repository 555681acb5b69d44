package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// maxDepth bounds how deep values and schemas are nested.
const maxDepth = 256

// kind is what a JSON value is.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// value is a JSON value and where it stands.
type value struct {
	kind  kind
	at    int            // its offset
	text  string         // of a string what it says, of a number or a word as it is written
	names []string       // of an object
	parts []value        // of an object or a list
	index map[string]int // of an object with many members
}

// fewNames is the size up to which the names of an object are compared one by one.
const fewNames = 12

// find returns the place of a member, -1 for none.
func (v *value) find(name string) int {
	if v.index != nil {
		if at, ok := v.index[name]; ok {
			return at
		}
		return -1
	}
	return slices.Index(v.names, name)
}

// member returns the value of a member, nil for none.
func (v *value) member(name string) *value {
	if at := v.find(name); at >= 0 {
		return &v.parts[at]
	}
	return nil
}

// broken is why a text is no JSON value, and where.
type broken struct {
	at      int
	problem string
}

// words says what is wrong with the text src.
func (b *broken) words(src string) string {
	if b.at >= len(src) {
		return b.problem
	}
	line, column := Position(src, b.at)
	return fmt.Sprintf("%s at line %d, column %d", b.problem, line, column)
}

// Position returns line and column of an offset, counted from 1 in characters.
func Position(src string, at int) (line, column int) {
	before := src[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// invalid returns the offset of the first byte that is not UTF-8, the length of the
// text where all are.
func invalid(src string) int {
	if utf8.ValidString(src) {
		return len(src)
	}
	at := 0
	for {
		r, size := utf8.DecodeRuneInString(src[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// parse reads the only JSON value of a text, strictly: UTF-8, no name twice in
// one object, no half of a surrogate pair.
func parse(src string) (*value, *broken) {
	if at := invalid(src); at < len(src) {
		return nil, &broken{at, "bytes that are not UTF-8"}
	}
	notes := &jsontext.Notes{}
	r := &jsontext.Reader[string]{Src: src, Room: maxDepth, Notes: notes}
	switch whole := r.Whole(); {
	case strings.TrimSpace(src) == "":
		return nil, &broken{len(src), "nothing"}
	case r.Fault == jsontext.FaultDepth:
		return nil, &broken{r.Pos, fmt.Sprintf("values nested deeper than %d", maxDepth)}
	case r.Fault == jsontext.FaultEnd:
		return nil, &broken{len(src), "JSON that ends too soon"}
	case r.Fault == jsontext.FaultSyntax:
		return nil, &broken{r.Pos, "no JSON but " + quoted(src[r.Pos:])}
	case !whole:
		return nil, &broken{r.Pos, quoted(src[r.Pos:]) + " behind the JSON value"}
	case notes.Repeated > 0:
		return nil, &broken{notes.Repeated, "a name that stands twice in one object"}
	case notes.Surrogate > 0:
		return nil, &broken{notes.Surrogate, "half of a surrogate pair"}
	}
	again := &jsontext.Reader[string]{Src: src, Room: maxDepth}
	again.Blanks()
	v := build(again)
	return &v, nil
}

// build makes the value at the place of the reader, which is known to be one.
func build(r *jsontext.Reader[string]) value {
	v := value{at: r.Pos}
	switch r.Peek() {
	case '{':
		v.kind = object
		for name := range r.Members() {
			v.names = append(v.names, name)
			v.parts = append(v.parts, build(r))
		}
		if len(v.names) > fewNames {
			v.index = make(map[string]int, len(v.names))
			for i, name := range v.names {
				v.index[name] = i
			}
		}
		return v
	case '[':
		v.kind = list
		for range r.Items() {
			v.parts = append(v.parts, build(r))
		}
		return v
	}
	first := r.Peek()
	r.Skip()
	v.text = r.Src[v.at:r.Pos]
	switch first {
	case '"':
		v.kind, v.text = text, jsontext.Unquote(v.text)
	case 't', 'f':
		v.kind = boolean
	case 'n':
		v.kind = null
	default:
		v.kind = number
	}
	return v
}

// appendKey appends a text that is the same for equal values alone.
func (v *value) appendKey(b []byte) []byte {
	switch v.kind {
	case number:
		return append(b, parseDecimal(v.text).key()...)
	case text:
		return strconv.AppendQuote(b, v.text)
	case list:
		b = append(b, '[')
		for i := range v.parts {
			b = append(v.parts[i].appendKey(b), ',')
		}
		return append(b, ']')
	case object:
		order := make([]int, len(v.names))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.names[i], v.names[j]) })
		b = append(b, '{')
		for _, i := range order {
			b = append(strconv.AppendQuote(b, v.names[i]), ':')
			b = append(v.parts[i].appendKey(b), ',')
		}
		return append(b, '}')
	}
	return append(b, v.text...)
}

func (v *value) key() string { return string(v.appendKey(nil)) }

// size returns about how many values and bytes v is made of.
func (v *value) size() int {
	n := 1 + len(v.text)
	for i := range v.parts {
		n += v.parts[i].size()
	}
	for _, name := range v.names {
		n += len(name)
	}
	return n
}

// maxShown bounds the bytes of a value in words.
const maxShown = 80

// String returns the value as it is shown in words.
func (v *value) String() string {
	switch v.kind {
	case text:
		return "the string " + quoted(v.text)
	case list:
		if len(v.parts) == 1 {
			return "a list of 1 item"
		}
		return fmt.Sprintf("a list of %d items", len(v.parts))
	case object:
		if len(v.parts) == 0 {
			return "an empty object"
		}
		return "an object"
	case number:
		head, cut := clip.Prefix(v.text, maxShown)
		if cut {
			head += "..."
		}
		return "the number " + head
	}
	return v.text
}

// quoted returns a text in quotes, cut where it is long. By the three dots the
// redactor knows that a secret may have been cut there.
func quoted(s string) string {
	head, cut := clip.Prefix(s, maxShown)
	if cut {
		head += "..."
	}
	return strconv.Quote(head)
}

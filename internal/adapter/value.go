package adapter

import (
	"iter"
	"strconv"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// maxDepth bounds the levels of a source's line.
const maxDepth = 512

// value is a JSON value of a line as it is written, empty for none.
type value []byte

// object has the members of a JSON object in their order.
type object []member

type member struct{ name, value value }

// readLine returns the object that a line is, or why it is none.
func readLine(raw []byte) (line object, why string) {
	r := jsontext.Reader[[]byte]{Src: raw, Room: maxDepth}
	r.Blanks()
	switch {
	case r.Pos == len(raw):
		return nil, "blank"
	case r.Peek() != '{':
		return nil, "no JSON object"
	}
	line = members(&r)
	r.Blanks()
	switch {
	case r.Fault == jsontext.FaultDepth:
		return nil, "nested too deep"
	case r.Fault == jsontext.FaultEnd:
		return nil, "torn"
	case r.Fault != jsontext.FaultNone || r.Pos != len(raw):
		return nil, "not one JSON object"
	}
	return line, ""
}

// members reads the object at r.
func members(r *jsontext.Reader[[]byte]) object {
	list := make(object, 0, 12)
	for name := range r.Members() {
		at := r.Pos
		if !r.Skip() {
			return nil
		}
		list = append(list, member{name, r.Src[at:r.Pos]})
	}
	return list
}

// get returns the member of a name, the last one if it stands there twice.
func (o object) get(name string) value {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].name) == name {
			return o[i].value
		}
	}
	return nil
}

// at follows a path of names through objects.
func (o object) at(path ...string) value {
	for _, name := range path[:len(path)-1] {
		o = o.get(name).object()
	}
	return o.get(path[len(path)-1])
}

// str is the text of a member, empty when it has none.
func (o object) str(path ...string) string { return o.at(path...).text() }

func (v value) is(c byte) bool { return len(v) > 0 && v[0] == c }

// object returns the members of an object, nil for any other value.
func (v value) object() object {
	if !v.is('{') {
		return nil
	}
	return members(&jsontext.Reader[[]byte]{Src: v, Room: maxDepth})
}

// items yields the items of a list, none for any other value.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		if !v.is('[') {
			return
		}
		r := jsontext.Reader[[]byte]{Src: v, Room: maxDepth}
		for range r.Items() {
			at := r.Pos
			if !r.Skip() || !yield(r.Src[at:r.Pos]) {
				return
			}
		}
	}
}

// text returns what a string says, empty for any other value.
func (v value) text() string {
	if !v.is('"') {
		return ""
	}
	return string(jsontext.Unquote([]byte(v)))
}

// optional is text, nil for any value that is no string.
func (v value) optional() *string {
	if !v.is('"') {
		return nil
	}
	return new(v.text())
}

// integer returns a whole number that every reader holds as it is, nil for any
// other value.
func (v value) integer() *int64 {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n > schema.MaxSafeInteger || n < -schema.MaxSafeInteger {
		return nil
	}
	return &n
}

// number returns a number, nil for any other value.
func (v value) number() *float64 {
	if len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return nil
	}
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return nil
	}
	return &n
}

// truth returns a boolean, nil for any other value.
func (v value) truth() *bool {
	switch string(v) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// isTrue reports whether the value is the literal true.
func (v value) isTrue() bool { return string(v) == "true" }

// isNull reports whether the value is null or absent.
func (v value) isNull() bool { return len(v) == 0 || string(v) == "null" }

// optional returns a member that is null where n is nil.
func optional[T any](n *T) schema.Optional[T] {
	if n == nil {
		return schema.Null[T]()
	}
	return schema.Some(*n)
}

// sum adds counts, nil where one of them is not known.
func sum(counts ...*int64) *int64 {
	var total int64
	for _, n := range counts {
		if n == nil {
			return nil
		}
		total += *n
	}
	return &total
}

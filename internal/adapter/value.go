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

// readLine returns the object that a line is, or why it is none. It uses the
// memory of room, whose members are lost.
func readLine(raw []byte, room object) (line object, why string) {
	r := jsontext.Reader[[]byte]{Src: raw, Room: maxDepth}
	r.Blanks()
	switch {
	case r.Pos == len(raw):
		return nil, "blank"
	case r.Peek() != '{':
		return nil, "no JSON object"
	}
	line = room[:0]
	for name := range r.Members() {
		at := r.Pos
		r.Skip()
		line = append(line, member{name, r.Src[at:r.Pos]})
	}
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
	v := o.get(path[0])
	for _, name := range path[1:] {
		v = v.get(name)
	}
	return v
}

// get is object.get for an object that is read for one member.
func (v value) get(name string) (found value) {
	for n, member := range jsontext.Parts(v) {
		if string(n) == name {
			found = member
		}
	}
	return found
}

// str is the text of a member, empty when it has none.
func (o object) str(path ...string) string { return o.at(path...).text() }

func (v value) is(c byte) bool { return len(v) > 0 && v[0] == c }

// object returns the members of an object, nil for any other value.
func (v value) object() object { return v.appendTo(make(object, 0, 8)) }

// appendTo appends the members of an object to list, and returns nil for any other
// value.
func (v value) appendTo(list object) object {
	if !v.is('{') {
		return nil
	}
	for name, value := range jsontext.Parts(v) {
		list = append(list, member{name, value})
	}
	return list
}

// items yields the items of a list, none for any other value.
func (v value) items() iter.Seq[value] { return jsontext.Items(v) }

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

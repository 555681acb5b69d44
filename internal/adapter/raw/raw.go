// Package raw reads single members of a JSON line without decoding the rest.
package raw

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// maxDepth bounds the levels of a source's line.
const maxDepth = 512

// maxInteger is the magnitude up to which every reader holds an integer as it is.
const maxInteger = 1 << 53

// Value is a JSON value of a line as it is written, empty for none.
type Value []byte

// Object has the members of a JSON object in their order.
type Object []Member

// Member is a member of an object: its name, decoded, and its value.
type Member struct{ Name, Value Value }

// Reasons why a line is no object: it has no value, or a shell that redirects wrote it.
const (
	Blank = "blank"
	UTF16 = "UTF-16 instead of UTF-8"
)

// isUTF16 reports whether one of each two bytes at the start of a line is NUL.
func isUTF16(start []byte) bool {
	return bytes.IndexByte(start, 0) >= 0 && !bytes.Contains(start, []byte{0, 0})
}

// Whole returns the first object of a list that a line is or begins, an empty one where
// the line only opens a list or an object, and nil for any other line.
func Whole(line []byte) Object {
	line = bytes.Trim(line, "\ufeff \t\r\n")
	for item := range Value(line).Items() {
		return item.Object()
	}
	if string(line) == "[" || string(line) == "{" {
		return Object{}
	}
	return nil
}

// Read returns the object that a line is, or why it is none.
func Read(raw []byte) (line Object, why string) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // shells add one where they redirect
	r := jsontext.Reader[[]byte]{Src: raw, Room: maxDepth}
	r.Blanks()
	switch {
	case r.Pos == len(raw):
		return nil, Blank
	case isUTF16(raw[:min(len(raw), 4)]):
		return nil, UTF16
	case r.Peek() != '{':
		return nil, "no JSON object"
	}
	for name := range r.Members() {
		at := r.Pos
		r.Skip()
		line = append(line, Member{name, r.Src[at:r.Pos]})
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

// Get returns the member of a name, the last one if it stands there twice.
func (o Object) Get(name string) Value {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].Name) == name {
			return o[i].Value
		}
	}
	return nil
}

// Object is the members of a member that is an object, nil for any other.
func (o Object) Object(name string) Object { return o.Get(name).Object() }

// At follows a path of names through objects.
func (o Object) At(path ...string) Value {
	v := o.Get(path[0])
	for _, name := range path[1:] {
		v = v.Get(name)
	}
	return v
}

// Get is Object.Get for an object that is read for one member.
func (v Value) Get(name string) (found Value) {
	for n, member := range jsontext.Parts(v) {
		if string(n) == name {
			found = member
		}
	}
	return found
}

// Str is the text of a member, empty when it has none.
func (o Object) Str(path ...string) string { return o.At(path...).Text() }

// Is reports whether the value begins with c, which shows its kind.
func (v Value) Is(c byte) bool { return len(v) > 0 && v[0] == c }

// Object returns the members of an object, nil for any other value.
func (v Value) Object() Object {
	if !v.Is('{') {
		return nil
	}
	list := Object{}
	for name, value := range jsontext.Parts(v) {
		list = append(list, Member{name, value})
	}
	return list
}

// Items yields the items of a list, none for any other value.
func (v Value) Items() iter.Seq[Value] { return jsontext.Items(v) }

// Text returns what a string says, empty for any other value.
func (v Value) Text() string {
	if !v.Is('"') {
		return ""
	}
	return string(jsontext.Unquote([]byte(v)))
}

// Optional is Text, nil for any value that is no string.
func (v Value) Optional() *string {
	if !v.Is('"') {
		return nil
	}
	return new(v.Text())
}

// Integer returns a whole number that every reader holds as it is, nil for any
// other value.
func (v Value) Integer() *int64 {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n > maxInteger || n < -maxInteger {
		return nil
	}
	return &n
}

// Number returns a number, nil for any other value.
func (v Value) Number() *float64 {
	if len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return nil
	}
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return nil
	}
	return &n
}

// Truth returns a boolean, nil for any other value.
func (v Value) Truth() *bool {
	switch string(v) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// IsTrue reports whether the value is the literal true.
func (v Value) IsTrue() bool { return string(v) == "true" }

// IsNull reports whether the value is null or absent.
func (v Value) IsNull() bool { return len(v) == 0 || string(v) == "null" }

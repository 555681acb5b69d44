package bindings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// object is a JSON object whose members stay in their order. A nil one has none.
type object struct {
	names   []string
	members map[string]any
}

// newObject returns an object of names, each with its value behind it. A member whose
// value is nil is left out.
func newObject(members ...any) *object {
	o := &object{}
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != nil {
			o.set(members[i].(string), members[i+1])
		}
	}
	return o
}

// parse reads a document that is one object.
func parse(text []byte) (*object, error) {
	if err := json.Unmarshal(text, new(any)); err != nil {
		return nil, err
	}
	r := jsontext.Reader[string]{Src: string(text), Room: jsontext.MaxDepth}
	r.Blanks()
	v, err := value(&r)
	if err != nil {
		return nil, err
	}
	o, ok := v.(*object)
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	return o, nil
}

// value reads the next value of a text that is whole.
func value(r *jsontext.Reader[string]) (v any, err error) {
	switch begin := r.Pos; r.Peek() {
	case '{':
		o := &object{}
		for name := range r.Members() {
			if _, ok := o.members[name]; ok {
				return nil, fmt.Errorf("the name %q stands twice in an object", name)
			}
			if v, err = value(r); err != nil {
				return nil, err
			}
			o.set(name, v)
		}
		return o, nil
	case '[':
		list := []any{}
		for range r.Items() {
			if v, err = value(r); err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	default:
		r.Skip()
		err = decode([]byte(r.Src[begin:r.Pos]), &v)
		return v, err
	}
}

// decode is json.Unmarshal with numbers as they are written.
func decode(text []byte, v *any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(v)
}

// set gives the member of that name a value, behind the others when it is new.
func (o *object) set(name string, v any) {
	if _, ok := o.members[name]; !ok {
		o.names = append(o.names, name)
	}
	if o.members == nil {
		o.members = map[string]any{}
	}
	o.members[name] = v
}

// get returns the value of a member, nil when there is none.
func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.members[name]
}

// at returns the object that is found by following the names, nil when there is none.
func (o *object) at(names ...string) *object {
	for _, name := range names {
		o, _ = o.get(name).(*object)
	}
	return o
}

// all yields the members.
func (o *object) all() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if o == nil {
			return
		}
		for _, name := range o.names {
			if !yield(name, o.members[name]) {
				return
			}
		}
	}
}

// objects yields the members that are objects.
func (o *object) objects() iter.Seq2[string, *object] {
	return func(yield func(string, *object) bool) {
		for name, v := range o.all() {
			if member, ok := v.(*object); ok && !yield(name, member) {
				return
			}
		}
	}
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := jsontext.Marshal(o.members[name])
		if err != nil {
			return nil, err
		}
		b.Write(jsontext.MustMarshal(name))
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// text returns the object as an indented document with a final LF.
func (o *object) text() ([]byte, error) {
	var b bytes.Buffer
	err := jsontext.WriteIndented(&b, o)
	return b.Bytes(), err
}

// equal reports whether two values are the same, whatever the order of members.
func equal(a, b any) bool {
	var plain [2]any
	for i, v := range []any{a, b} {
		if decode(jsontext.MustMarshal(v), &plain[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(plain[0], plain[1])
}

package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// valueKind is the JSON type that an argument wants.
type valueKind int

const (
	textValue valueKind = iota
	integerValue
	booleanValue
	listValue
)

// kindTable has the JSON Schema names, how an error message says them, and how
// a value is read.
var kindTable = [...]struct {
	schema, want string
	parse        func(json.RawMessage) (any, bool)
}{
	textValue:    {"string", "a string", parseText},
	integerValue: {"integer", "an integer", parseInteger},
	booleanValue: {"boolean", "true or false", parseBoolean},
	listValue:    {"array", "an array of strings", parseList},
}

// kinds are the types that a field may have.
var kinds = map[reflect.Type]valueKind{
	reflect.TypeFor[string](): textValue, reflect.TypeFor[int64](): integerValue, reflect.TypeFor[*int64](): integerValue,
	reflect.TypeFor[bool](): booleanValue, reflect.TypeFor[[]string](): listValue,
}

// field is one argument of a tool: a struct field and what its tags say.
type field struct {
	index int
	name  string
	kind  valueKind
	// required, empty and path come from the arg tag.
	required, empty, path bool
	// def is the default, nil for none.
	def any
	// min and max clamp an integer, nil for no bound.
	min, max *int64
	doc      string
	example  any
}

// fieldsOf reads the fields of an arguments struct. A struct that it cannot
// serve is a programmer's error and panics.
func fieldsOf(t reflect.Type) []field {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("tool: arguments must be a struct, got %s", t))
	}
	fields := make([]field, t.NumField())
	for i := range fields {
		fields[i] = fieldOf(t.Field(i))
		fields[i].index = i
	}
	return fields
}

func fieldOf(sf reflect.StructField) field {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	if name == "" || !sf.IsExported() {
		panic(fmt.Sprintf("tool: field %s has no json name", sf.Name))
	}
	kind, ok := kinds[sf.Type]
	if !ok {
		panic(fmt.Sprintf("tool: field %s has type %s; known: string, int64, *int64, bool, []string", sf.Name, sf.Type))
	}
	f := field{name: name, kind: kind, doc: sf.Tag.Get("doc"), min: bound(sf, "min"), max: bound(sf, "max")}
	f.example = kind.literal(sf, "example")
	if _, ok := sf.Tag.Lookup("default"); ok {
		f.def = kind.literal(sf, "default")
	}
	for word := range strings.SplitSeq(sf.Tag.Get("arg"), ",") {
		switch word {
		case "":
		case "required":
			f.required = true
		case "empty":
			f.empty = true
		case "path":
			f.path = true
		default:
			panic(fmt.Sprintf("tool: field %s has an unknown arg tag %q", sf.Name, word))
		}
	}
	return f
}

// literal returns the value that a tag holds; without the tag, that of nothing.
func (k valueKind) literal(sf reflect.StructField, tag string) any {
	text := sf.Tag.Get(tag)
	switch k {
	case integerValue:
		if n := bound(sf, tag); n != nil {
			return *n
		}
		return int64(0)
	case booleanValue:
		return text == "true"
	case listValue:
		return []string{text}
	default:
		return text
	}
}

// bound returns the integer that a tag holds, nil without the tag.
func bound(sf reflect.StructField, tag string) *int64 {
	s, ok := sf.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("tool: field %s: %s tag %q is no integer", sf.Name, tag, s))
	}
	return &n
}

// clamp returns n moved into the field's range.
func (f *field) clamp(n int64) int64 {
	if f.min != nil {
		n = max(n, *f.min)
	}
	if f.max != nil {
		n = min(n, *f.max)
	}
	return n
}

// mustFill reports whether an empty string is refused.
func (f *field) mustFill() bool { return f.path || f.required && !f.empty }

// property is the JSON Schema of one argument.
type property struct {
	Type        string    `json:"type"`
	Items       *property `json:"items,omitempty"`
	Description string    `json:"description,omitempty"`
	MinLength   int       `json:"minLength,omitempty"`
	Minimum     *int64    `json:"minimum,omitempty"`
	Maximum     *int64    `json:"maximum,omitempty"`
	Default     any       `json:"default,omitempty"`
}

// parametersOf returns the JSON Schema of an arguments object, made from the
// tags that decoding obeys, so that the two cannot differ.
func parametersOf(fields []field) json.RawMessage {
	properties := make([]Detail, len(fields))
	required := []string{}
	for i := range fields {
		properties[i] = Detail{fields[i].name, propertyOf(&fields[i])}
		if fields[i].required {
			required = append(required, fields[i].name)
		}
	}
	object := encodeDetails(properties)
	if object == nil {
		object = json.RawMessage("{}")
	}
	return encodeDetails([]Detail{{"type", "object"}, {"properties", object}, {"required", required}, {"additionalProperties", false}})
}

func propertyOf(f *field) property {
	p := property{Type: kindTable[f.kind].schema, Description: f.doc, Minimum: f.min, Maximum: f.max, Default: f.def}
	switch {
	case f.kind == listValue:
		p.Items = &property{Type: "string", MinLength: 1}
	case f.kind == textValue && f.mustFill():
		p.MinLength = 1
	}
	return p
}

package tool

import (
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

// kindNames are the JSON Schema names and how an error message says them.
var kindNames = [...]struct{ schema, want string }{
	textValue:    {"string", "a string"},
	integerValue: {"integer", "an integer"},
	booleanValue: {"boolean", "true or false"},
	listValue:    {"array", "an array of strings"},
}

// field is one argument of a tool: a struct field and what its tags say.
type field struct {
	index   int
	name    string
	kind    valueKind
	pointer bool
	// required, empty and path come from the arg tag.
	required, empty, path bool
	// def is the default as it would be sent, hasDef whether there is one.
	def    string
	hasDef bool
	// min and max clamp an integer, nil for no bound.
	min, max *int64
	doc      string
	example  string
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
	f := field{name: name, doc: sf.Tag.Get("doc"), example: sf.Tag.Get("example")}
	f.kind, f.pointer = kindOf(sf)
	f.def, f.hasDef = sf.Tag.Lookup("default")
	f.min, f.max = bound(sf, "min"), bound(sf, "max")
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

func kindOf(sf reflect.StructField) (kind valueKind, pointer bool) {
	t := sf.Type
	switch {
	case t.Kind() == reflect.String:
		return textValue, false
	case t.Kind() == reflect.Int64:
		return integerValue, false
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Int64:
		return integerValue, true
	case t.Kind() == reflect.Bool:
		return booleanValue, false
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return listValue, false
	}
	panic(fmt.Sprintf("tool: field %s has type %s; known: string, int64, *int64, bool, []string", sf.Name, t))
}

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

// sample returns the field's example as a JSON value.
func (f *field) sample() any {
	switch f.kind {
	case integerValue:
		n, _ := strconv.ParseInt(f.example, 10, 64)
		return n
	case booleanValue:
		return f.example == "true"
	case listValue:
		return []string{f.example}
	default:
		return f.example
	}
}

package tool

import (
	"encoding/json"
	"strconv"
)

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
	return encodeDetails([]Detail{
		{"type", "object"},
		{"properties", object},
		{"required", required},
		{"additionalProperties", false},
	})
}

func propertyOf(f *field) property {
	p := property{
		Type:        kindNames[f.kind].schema,
		Description: f.doc,
		Minimum:     f.min,
		Maximum:     f.max,
	}
	switch {
	case f.kind == listValue:
		p.Items = &property{Type: "string", MinLength: 1}
	case f.kind == textValue && f.mustFill():
		p.MinLength = 1
	}
	if f.hasDef {
		p.Default = f.defaultValue()
	}
	return p
}

// mustFill reports whether an empty string is refused.
func (f *field) mustFill() bool { return f.path || f.required && !f.empty }

// defaultValue returns the default tag as a JSON value.
func (f *field) defaultValue() any {
	switch f.kind {
	case integerValue:
		n, err := strconv.ParseInt(f.def, 10, 64)
		if err != nil {
			panic("tool: default of " + f.name + " is no integer")
		}
		return n
	case booleanValue:
		return f.def == "true"
	default:
		return f.def
	}
}

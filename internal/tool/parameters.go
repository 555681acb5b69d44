package tool

import "encoding/json"

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

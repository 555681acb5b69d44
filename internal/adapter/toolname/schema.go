package toolname

import (
	"encoding/json"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// schema is what a JSON Schema says, as far as a value must fit it that is to be
// as simple as can be.
type schema struct {
	Type       any               `json:"type"` // a name, or a list of them
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	MinItems   int               `json:"minItems"`
	Enum       []json.RawMessage `json:"enum"`
	Default    json.RawMessage   `json:"default"`
	Minimum    json.RawMessage   `json:"minimum"`
}

// schemaOf returns a schema, an empty one for what cannot be read as such.
func schemaOf(text json.RawMessage) (s schema) {
	if json.Unmarshal(text, &s) != nil {
		return schema{}
	}
	return s
}

// has reports whether all of these properties are in the schema; one that describes
// nothing has any.
func (s schema) has(names map[string]string) bool {
	for _, own := range names {
		if _, ok := s.Properties[own]; !ok && len(s.Properties) > 0 {
			return false
		}
	}
	return true
}

// kind returns the type of the schema in small letters, the first that is not null.
// Where it does not say, what has properties is an object, and anything else text.
func (s schema) kind() string {
	switch t := s.Type.(type) {
	case string:
		return strings.ToLower(t)
	case []any:
		for _, one := range t {
			if word, ok := one.(string); ok && word != "null" {
				return strings.ToLower(word)
			}
		}
	}
	if len(s.Properties) > 0 {
		return "object"
	}
	return "string"
}

// command returns the required member that is a command by its name and type, text or a
// list of it, and how many there are.
func (s schema) command() (name string, n int) {
	for _, own := range s.Required {
		p, ok := s.Properties[own]
		if !ok || own != "command" && own != "commands" && own != "cmd" || len(p.Enum) > 0 {
			continue
		}
		if kind := p.kind(); kind == "string" || kind == "array" && (p.Items == nil || p.Items.kind() == "string") {
			name, n = own, n+1
		}
	}
	return name, n
}

// complete adds the required members that an object lacks.
func (s schema) complete(members map[string]json.RawMessage, words string) {
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			members[name] = s.Properties[name].simplest(words)
		}
	}
}

// Simplest returns a value that fits a plain JSON Schema: its default, the first of
// the values that it lists, or else the simplest one of its type, with these words
// where that is text and only what is required in objects.
func Simplest(text json.RawMessage, words string) json.RawMessage {
	return schemaOf(text).simplest(words)
}

// maxItems bounds a list that is made up.
const maxItems = 10

func (s schema) simplest(words string) json.RawMessage {
	switch {
	case len(s.Default) > 0:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Minimum) > 0:
		return s.Minimum
	}
	switch s.kind() {
	case "integer", "number":
		return json.RawMessage("1")
	case "boolean":
		return json.RawMessage("false")
	case "array":
		items := []json.RawMessage{}
		for range min(s.MinItems, maxItems) {
			if s.Items == nil {
				s.Items = &schema{}
			}
			items = append(items, s.Items.simplest(words))
		}
		return jsontext.MustMarshal(items)
	case "object":
		members := map[string]json.RawMessage{}
		s.complete(members, words)
		return jsontext.MustMarshal(members)
	}
	return jsontext.MustMarshal(words)
}

package toolname

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// schema is what a tool's JSON Schema says of its arguments, as far as a call must
// fit it.
type schema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type    any               `json:"type"` // a name, or a list of them
	Enum    []json.RawMessage `json:"enum"`
	Default json.RawMessage   `json:"default"`
	Minimum json.RawMessage   `json:"minimum"`
}

// schemaOf returns the schema of a tool, empty for one that cannot be read.
func schemaOf(t Tool) (s schema) {
	if json.Unmarshal(t.Parameters, &s) != nil {
		return schema{}
	}
	return s
}

// has reports whether all of these arguments are in the schema; one that describes
// nothing has any.
func (s schema) has(names map[string]string) bool {
	for _, own := range names {
		if _, ok := s.Properties[own]; !ok && len(s.Properties) > 0 {
			return false
		}
	}
	return true
}

// kind returns the type of an argument in small letters, the first that is not null,
// "string" where the schema does not say.
func (s schema) kind(name string) string {
	switch t := s.Properties[name].Type.(type) {
	case string:
		return strings.ToLower(t)
	case []any:
		for _, one := range t {
			if word, ok := one.(string); ok && word != "null" {
				return strings.ToLower(word)
			}
		}
	}
	return "string"
}

// complete adds the required arguments that a call lacks: the schema's own default,
// the first value that it lists, or else the simplest value of the type, which for
// text is what the call does.
func (s schema) complete(arguments map[string]json.RawMessage, neutral string) {
	for _, name := range s.Required {
		if _, ok := arguments[name]; !ok {
			arguments[name] = s.simplest(name, strings.ReplaceAll(neutral, "_", " "))
		}
	}
}

func (s schema) simplest(name, words string) json.RawMessage {
	p := s.Properties[name]
	switch {
	case len(p.Default) > 0:
		return p.Default
	case len(p.Enum) > 0:
		return p.Enum[0]
	case len(p.Minimum) > 0:
		return p.Minimum
	}
	switch kind := s.kind(name); {
	case slices.Contains([]string{"integer", "number"}, kind):
		return json.RawMessage("1")
	case kind == "boolean":
		return json.RawMessage("false")
	case kind == "array":
		return json.RawMessage("[]")
	case kind == "object":
		return json.RawMessage("{}")
	}
	return jsontext.MustMarshal(words)
}

package validate

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is what the rules in code need to know of one member's schema.
type node struct {
	Type       oneOrMore        `json:"type"`
	Required   []string         `json:"required"`
	Minimum    *int             `json:"minimum"`
	MaxLength  int              `json:"maxLength"`
	MaxItems   int              `json:"maxItems"`
	Items      *node            `json:"items"`
	Properties map[string]*node `json:"properties"`

	order []string // names of Properties, sorted
}

// oneOrMore is JSON Schema's type: a name or a list of names.
type oneOrMore []string

// UnmarshalJSON reads both forms.
func (o *oneOrMore) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

func (o oneOrMore) has(name string) bool { return slices.Contains(o, name) }

// prepare sorts the members of every node below n and adds their names to
// names.
func (n *node) prepare(names map[string]string) {
	if n == nil {
		return
	}
	n.order = slices.Sorted(maps.Keys(n.Properties))
	for name, member := range n.Properties {
		names[name] = name
		member.prepare(names)
	}
	n.Items.prepare(names)
}

// holds reports whether v is of a type of n. An integer may be written and be as
// large as it likes: schema/number speaks of that.
func (n *node) holds(v any) bool {
	if n.Type == nil {
		return true
	}
	switch v := v.(type) {
	case nil:
		return n.Type.has("null")
	case bool:
		return n.Type.has("boolean")
	case string:
		return n.Type.has("string")
	case []any:
		return n.Type.has("array")
	case map[string]any:
		return n.Type.has("object")
	default:
		return n.Type.has("number") || n.Type.has("integer") && !fraction(v)
	}
}

// walk calls visit for v and every value in it that the contract knows, in
// the order of their names. A pointer is valid during the call.
func (n *node) walk(v any, pointer []byte, visit func(n *node, v any, pointer []byte)) {
	visit(n, v, pointer)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range n.order {
			if member, ok := v[name]; ok {
				n.Properties[name].walk(member, append(append(pointer, '/'), name...), visit)
			}
		}
	case []any:
		for i := range v {
			if n.Items != nil {
				n.Items.walk(v[i], strconv.AppendInt(append(pointer, '/'), int64(i), 10), visit)
			}
		}
	}
}

// memberName returns a pointer as people write it: data.artifacts.0.path.
func memberName(pointer string) string {
	if pointer == "" {
		return "the envelope"
	}
	return strings.ReplaceAll(pointer[1:], "/", ".")
}

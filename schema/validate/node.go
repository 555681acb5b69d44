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

	// Keywords that only the schema library judges.
	Const  json.RawMessage `json:"const"`
	Enum   json.RawMessage `json:"enum"`
	Format json.RawMessage `json:"format"`

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

// at returns the node of the value that pointer names. The pointer must come
// from a value that was judged by n.
func (n *node) at(pointer string) *node {
	for _, segment := range segments(pointer) {
		if n.Items != nil {
			n = n.Items
		} else {
			n = n.Properties[segment]
		}
	}
	return n
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

// lookUp returns the value at pointer in v.
func lookUp(v any, pointer string) (any, bool) {
	for _, segment := range segments(pointer) {
		switch in := v.(type) {
		case map[string]any:
			v = in[segment]
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// segments splits a JSON pointer; names of the contract need no escapes.
func segments(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(pointer, "/"), "/")
}

// memberName returns a pointer as people write it: data.artifacts.0.path.
func memberName(pointer string) string {
	if pointer == "" {
		return "the envelope"
	}
	return strings.ReplaceAll(pointer[1:], "/", ".")
}

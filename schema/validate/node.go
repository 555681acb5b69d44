package validate

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// node is what the rules in code need of one member's schema.
type node struct {
	Type       oneOrMore        `json:"type"`
	Enum       []schema.Type    `json:"enum"` // only the envelope has one
	Required   []string         `json:"required"`
	Minimum    *int             `json:"minimum"`
	MaxLength  int              `json:"maxLength"`
	MaxItems   int              `json:"maxItems"`
	Items      *node            `json:"items"`
	Properties map[string]*node `json:"properties"`
	// Of an object whose names are not fixed: what its members are, how many
	// there may be, and how long their names.
	Others        others `json:"additionalProperties"`
	MaxProperties int    `json:"maxProperties"`
	PropertyNames *node  `json:"propertyNames"`

	order []string // names of Properties, sorted
}

// others is JSON Schema's additionalProperties: a schema, or none where further
// members are refused, as only the envelope does, or are of any kind.
type others struct{ *node }

// UnmarshalJSON reads both forms.
func (o *others) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	return json.Unmarshal(b, &o.node)
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

// names has every member name of the contract. Lines get no copies of their own.
type names map[string]named

// named is a name, and whether it is that of an object whose names are not fixed.
type named struct {
	name string
	free bool
}

// prepare sorts the members of every node below n and adds their names to
// names.
func (n *node) prepare(interned names) {
	if n == nil {
		return
	}
	n.order = slices.Sorted(maps.Keys(n.Properties))
	for name, member := range n.Properties {
		interned[name] = named{name, interned[name].free || member.Others.node != nil}
		member.prepare(interned)
	}
	n.Items.prepare(interned)
}

// members returns the members of an object that the contract speaks of, in the
// order of their names, each with what it must be and with a pointer that is
// valid during the call.
func (n *node) members(object map[string]any, pointer []byte) iter.Seq2[*node, member] {
	return func(yield func(*node, member) bool) {
		order := n.order
		if n.Others.node != nil {
			order = slices.Sorted(maps.Keys(object))
		}
		for _, name := range order {
			v, ok := object[name]
			if !ok {
				continue
			}
			kind, part := n.Properties[name], name
			if kind == nil {
				kind, part = n.Others.node, jsontext.Pointer.Replace(quote(name))
			}
			if !yield(kind, member{v, append(append(pointer, '/'), part...)}) {
				return
			}
		}
	}
}

// member is the value of a member of an object, and what points to it.
type member struct {
	value   any
	pointer []byte
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
		for kind, m := range n.members(v, pointer) {
			kind.walk(m.value, m.pointer, visit)
		}
	case []any:
		for i := range v {
			if n.Items != nil {
				n.Items.walk(v[i], strconv.AppendInt(append(pointer, '/'), int64(i), 10), visit)
			}
		}
	}
}

// plain writes a JSON pointer as people do.
var plain = strings.NewReplacer("/", ".", "~1", "/", "~0", "~")

// memberName returns a pointer as people write it: data.artifacts.0.path.
func memberName(pointer string) string {
	if pointer == "" {
		return "the envelope"
	}
	return plain.Replace(pointer[1:])
}

package validate

import "encoding/json"

// fits reports that the schema library has nothing to say of v but what rules
// of their own judge (see elsewhere), and schema/number neither. It sees no more than types, required
// members and minima, so false only means: ask the library. Nearly every event
// is faultless, and the library takes ten times as long to say so.
func (n *node) fits(v any) bool {
	if n == nil {
		return true
	}
	return n.Const == nil && n.Enum == nil && n.Format == nil &&
		n.fitsType(v) && n.fitsMinimum(v) && n.fitsMembers(v) && n.fitsItems(v)
}

// fitsEnvelope is fits for the members of a line, of which some have rules of
// their own and data is judged apart.
func (n *node) fitsEnvelope(members map[string]any) bool {
	for name, member := range n.Properties {
		v, ok := members[name]
		if !ok || !member.fitsType(v) || !member.fitsMinimum(v) {
			return false
		}
	}
	return true
}

func (n *node) fitsType(v any) bool {
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
	case json.Number:
		_, plain, ok := whole(v)
		return n.Type.has("number") || n.Type.has("integer") && plain && ok
	}
	return false // a wild number
}

func (n *node) fitsMinimum(v any) bool {
	number, ok := v.(json.Number)
	if !ok || n.Minimum == nil {
		return true
	}
	at, _, ok := whole(number)
	return ok && at >= int64(*n.Minimum)
}

func (n *node) fitsMembers(v any) bool {
	members, ok := v.(map[string]any)
	if !ok {
		return true
	}
	for _, name := range n.Required {
		if _, ok := members[name]; !ok {
			return false
		}
	}
	for name, member := range members {
		if !n.Properties[name].fits(member) {
			return false
		}
	}
	return true
}

func (n *node) fitsItems(v any) bool {
	list, ok := v.([]any)
	if !ok || n.Items == nil {
		return true
	}
	for _, item := range list {
		if !n.Items.fits(item) {
			return false
		}
	}
	return true
}

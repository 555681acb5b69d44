package provider

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// budget is what may still be kept of an answer besides what is known. Values count
// too, as each piece is compared with them.
type budget struct{ bytes, values int }

func (b *budget) spent() bool { return b.bytes < 0 || b.values < 0 }

// merge returns old, a value that comes in pieces, with one more of them: strings are
// put together, objects by their members, the items of a list by their index; null
// adds nothing, and any other value replaces the old one. Name is that of the
// member with the value. A value is a map[string]any, an []any or a json.RawMessage,
// which is spelled as it came: a string may be cut inside a character.
func (b *budget) merge(name string, old any, piece gjson.Result) any {
	if b.spent() || old != nil && piece.Type == gjson.Null {
		return old
	}
	if old == nil {
		b.values--
	}
	switch {
	case piece.IsObject():
		members, ok := old.(map[string]any)
		if !ok {
			members = map[string]any{}
		}
		for key, value := range piece.All() {
			name := key.String()
			if members[name] == nil {
				b.bytes -= len(name)
			}
			members[name] = b.merge(name, members[name], value)
		}
		return members
	case piece.IsArray():
		items, _ := old.([]any)
		earlier := len(items)
		for item := range piece.Values() {
			if i := continued(items[:earlier], item); i >= 0 {
				items[i] = b.merge("", items[i], item)
			} else if !b.spent() {
				items = append(items, b.merge("", nil, item))
			}
		}
		return items
	}
	text, _ := old.(json.RawMessage)
	if piece.Type == gjson.String && bytes.HasPrefix(text, []byte(`"`)) && !isLabel(name) {
		b.bytes -= len(piece.Raw) - 2
		return append(text[:len(text)-1], piece.Raw[1:]...)
	}
	b.bytes += len(text) - len(piece.Raw)
	return json.RawMessage(piece.Raw)
}

// isLabel reports whether a string of that name comes whole with each piece.
func isLabel(name string) bool {
	switch name {
	case "type", "id", "index", "format", "role", "name", "status":
		return true
	}
	return strings.HasSuffix(name, "signature")
}

// continued returns which item a piece continues, -1 for none: endpoints number what
// they send in pieces. Kinds of thought may share an index.
func continued(items []any, piece gjson.Result) int {
	if !piece.IsObject() || !piece.Get("index").Exists() {
		return -1
	}
	for i, item := range slices.Backward(items) {
		members, _ := item.(map[string]any)
		same := members["index"] != nil
		for _, name := range []string{"index", "type", "id"} {
			was, known := members[name].(json.RawMessage)
			is := piece.Get(name)
			same = same && (!known || !is.Exists() || string(was) == is.Raw)
		}
		if same {
			return i
		}
	}
	return -1
}

// beyond returns an object of the members that are not known, "" for none.
func beyond(object []byte, known ...string) string {
	whole := gjson.ParseBytes(object)
	if !whole.IsObject() {
		return ""
	}
	var rest []string
	for name, value := range whole.All() {
		if value.Type != gjson.Null && !slices.Contains(known, name.String()) {
			rest = append(rest, name.Raw+":"+value.Raw)
		}
	}
	if rest == nil {
		return ""
	}
	return "{" + strings.Join(rest, ",") + "}"
}

// spelled returns what merge returned as JSON.
func spelled(v any) json.RawMessage {
	return bytes.ToValidUTF8(jsontext.MustMarshal(v), []byte("\ufffd"))
}

// withMembers returns an object with further members.
func withMembers(object, further []byte) []byte {
	if further == nil {
		return object
	}
	b := &budget{math.MaxInt, math.MaxInt}
	return spelled(b.merge("", b.merge("", nil, gjson.ParseBytes(object)), gjson.ParseBytes(further)))
}

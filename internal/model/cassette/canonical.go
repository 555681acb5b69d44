package cassette

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// part is a piece of a request body in canonical form: one member of the
// object, or one item of a member that is a list. key is the member's name,
// with a slash and the item's number behind it for an item; value is JSON with
// sorted keys, without white space, its numbers as they were written.
type part struct{ key, value string }

// wholeBody is the key of a body that is no JSON object.
const wholeBody = "/"

// bodyParts returns a request body in canonical form, known secrets masked:
// two bodies mean the same when their parts are equal.
func bodyParts(body []byte, r *redact.Redactor) []part {
	var members map[string]any
	if json.Valid(body) {
		v, _ := jsontext.Decode(body)
		members, _ = v.(map[string]any)
	}
	if members == nil {
		return []part{{wholeBody, string(jsontext.MustMarshal(mask(r, strings.ToValidUTF8(string(body), "\ufffd"))))}}
	}
	var parts []part
	for _, name := range slices.Sorted(maps.Keys(members)) {
		key := jsontext.Pointer.Replace(name) // the slash is for the number of an item
		items, _ := members[name].([]any)
		for i, item := range items {
			parts = append(parts, part{key + "/" + strconv.Itoa(i), canonical(item, r)})
		}
		if len(items) == 0 {
			parts = append(parts, part{key, canonical(members[name], r)})
		}
	}
	return parts
}

// joinParts returns the body that has these parts, which bodyParts ordered.
func joinParts(parts []part) []byte {
	if len(parts) == 1 && parts[0].key == wholeBody {
		return []byte(parts[0].value)
	}
	members := map[string]any{}
	for _, p := range parts {
		key, item := splitKey(p.key)
		name, value := jsontext.PointerName.Replace(key), json.RawMessage(p.value)
		if item < 0 {
			members[name] = value
			continue
		}
		items, _ := members[name].([]any)
		members[name] = append(items, value)
	}
	return jsontext.MustMarshal(members)
}

func canonical(v any, r *redact.Redactor) string {
	return string(maskJSON(r, jsontext.MustMarshal(v)))
}

// compareParts orders parts as bodyParts does: by member, then by number.
func compareParts(a, b part) int {
	aName, aItem := splitKey(a.key)
	bName, bItem := splitKey(b.key)
	return cmp.Or(cmp.Compare(aName, bName), cmp.Compare(aItem, bItem))
}

func splitKey(key string) (name string, item int) {
	name, number, found := strings.Cut(key, "/")
	if item, err := strconv.Atoi(number); found && err == nil {
		return name, item
	}
	return name, -1
}

// changes returns what turns the parts of one request into those of the next.
func changes(from, to []part) []partLine {
	old := make(map[string]string, len(from))
	for _, p := range from {
		old[p.key] = p.value
	}
	var lines []partLine
	for _, p := range to {
		if value, ok := old[p.key]; !ok || value != p.value {
			lines = append(lines, partLine{Part: p.key, Value: json.RawMessage(p.value)})
		}
		delete(old, p.key)
	}
	for _, key := range slices.Sorted(maps.Keys(old)) {
		lines = append(lines, partLine{Part: key, Gone: true})
	}
	return lines
}

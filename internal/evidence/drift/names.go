package drift

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/schema"
)

const (
	others = "*"  // the name under which all keys are gathered that have none of their own
	items  = "[]" // stands for the values of an array
)

// dictionaries are the keys of objects whose keys are data, such as names of models.
var dictionaries = []string{
	"modelUsage", "model_usage_since_last_result", "models", "by_type", "byName", "headers", "responseHeaders",
}

// arguments are the keys of the arguments of a tool call, whose keys a model wrote.
var arguments = []string{"arguments", "args", "input", "parameters", "tool_input"}

// choices are the keys, or the last words of keys, whose texts are one of a few words.
var choices = []string{
	"type", "subtype", "kind", "status", "state", "role", "mode", "level", "class", "category", "source", "reason", "action",
	"decision", "outcome", "code", "format", "terminal", "transport",
}

// isChoice reports whether a key's name says so: status, exit_reason, errorType.
func isChoice(key string) bool {
	at := strings.LastIndexFunc(key, func(r rune) bool { return r == '_' || 'A' <= r && r <= 'Z' })
	return slices.Contains(choices, strings.ToLower(strings.TrimPrefix(key[max(at, 0):], "_")))
}

// Words of a choice, names of keys and labels that are kept: no other text of a stream
// is in a result. No colon begins a label, so that none begins a command of a job.
var (
	wordPattern  = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_./:-]{0,63}$`)
	keyPattern   = lazyregexp.New(`^[A-Za-z_$@][A-Za-z0-9_$@-]{0,63}$`)
	labelPattern = lazyregexp.New(`^[A-Za-z0-9 _+./@()-]{0,64}$`)
)

// label returns a type, a version or the name of an agent if it can be printed.
func label(text string) string {
	if !labelPattern().MatchString(text) {
		return others
	}
	return text
}

// labelOf returns the label that a member is.
func labelOf(object map[string]any, name string) string {
	text, _ := object[name].(string)
	return cmp.Or(label(text), unknown)
}

// typeOf names a line: by its type, its subtype and the type of what it is made of.
func typeOf(line map[string]any) string {
	text, _ := line["type"].(string)
	name := label(text)
	if subtype, ok := line["subtype"].(string); ok {
		name += "/" + label(subtype)
	}
	for _, part := range []string{"item", "part"} {
		value, _ := line[part].(map[string]any)
		if kind, ok := value["type"].(string); ok {
			name += "/" + label(kind)
		}
	}
	return cmp.Or(label(name), others)
}

// Kinds of JSON values, as JSON Schema distinguishes them; of a number by how it is written.
const kindObject, kindArray, kindString, kindInteger, kindNumber = "object", "array", "string", "integer", "number"

// What a schema says of a key.
const (
	declared = "declared" // it is on every line
	additive = "additive" // it may be there
	free     = "free"     // it is the producer's own
	reserved = "unknown"  // its name is reserved
)

// spec is what a schema says of a value.
type spec map[string]any

// contract returns the schemas of a published version by type of event, that of the
// envelope under no name; nil for another version.
func contract(version string) map[string]spec {
	if !slices.Contains(schema.Set{}.EventVersions(), version) {
		return nil
	}
	var document struct {
		Defs map[string]spec `json:"$defs"`
	}
	if text, err := schema.Load(version); err != nil || json.Unmarshal(text, &document) != nil {
		return nil
	}
	document.Defs[""] = document.Defs["envelope"]
	delete(document.Defs, "envelope")
	return document.Defs
}

// member returns what a schema says of a member of the objects of a key with that
// standing, and under which name it is gathered.
func (of spec) member(name, above string) (below spec, standing, called string) {
	properties, _ := of["properties"].(map[string]any)
	required, _ := of["required"].([]any)
	below, ok := properties[name].(map[string]any)
	more, open := of["additionalProperties"].(map[string]any)
	switch {
	case above == free || above == reserved:
		return nil, above, name
	case of["type"] == nil: // nothing is said of its members
		return nil, "", name
	case ok && slices.Contains(required, any(name)):
		return below, declared, name
	case ok:
		return below, additive, name
	case open:
		return more, additive, others
	case strings.HasPrefix(name, "x_"):
		return nil, free, name
	}
	return nil, reserved, name
}

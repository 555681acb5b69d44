package validate

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// part is a part of an event that a subschema describes, and the rule that it breaks
// by breaking a keyword of that subschema, if any.
type part struct {
	*jsonschema.Node
	value         any
	pointer       string // within the envelope or within data
	name          string // as people write it: data.artifacts.0.path
	keyword, rule string
}

// inspect validates a value called name, empty for the envelope, and returns its parts:
// each before those in it, members in the order of their names.
func inspect(s *jsonschema.Schema, v any, name string) (parts []part) {
	broken := s.Broken(collect(&parts, part{Node: s.Node(), value: v, name: name}))
	for i := range parts {
		parts[i].choose(broken[parts[i].pointer])
	}
	return parts
}

// maxChecked bounds the items of a list, and the members of an object whose names are
// not fixed, that are checked; such a one is far above its bound anyway.
const maxChecked = 1024

// unnamed stands for the empty name, which the library leaves out of pointers. No line
// has such a name: it is not UTF-8.
const unnamed = "\xff"

// collect appends p and all parts in it. It returns what the library gets of the value:
// no members that the schema does not describe, of a very long list or object the
// beginning, and 1 for a number that is never computed.
func collect(parts *[]part, p part) any {
	*parts = append(*parts, p)
	switch v := p.value.(type) {
	case json.Number:
		if huge(v) {
			return json.Number("1")
		}
	case []any:
		if p.Items2020 == nil {
			return v
		}
		list := make([]any, min(len(v), maxChecked+1))
		for i := range list {
			at := strconv.Itoa(i)
			list[i] = collect(parts, p.member(p.Items2020, v[i], at, at))
		}
		return list
	case map[string]any:
		return collectMembers(parts, p, v)
	}
	return p.value
}

// collectMembers is collect for an object.
func collectMembers(parts *[]part, p part, v map[string]any) map[string]any {
	others, free := p.AdditionalProperties.(*jsonschema.Node)
	names, object := maps.Keys(p.Properties), map[string]any{}
	if free {
		names = maps.Keys(v)
	}
	for _, name := range slices.Sorted(names) {
		value, ok := v[name]
		n, shown := p.Properties[name], name
		if n == nil {
			n, shown = others, quote(name)
			ok = len(object) <= maxChecked
		}
		if ok {
			key := cmp.Or(name, unnamed)
			object[key] = collect(parts, p.member(n, value, jsontext.Pointer.Replace(key), shown))
		}
	}
	return object
}

// member returns the part that is a member or an item of p.
func (p part) member(n *jsonschema.Node, value any, key, shown string) part {
	if p.name != "" {
		shown = p.name + "." + shown
	}
	return part{Node: n, value: value, pointer: p.pointer + "/" + key, name: shown}
}

// inData reports whether the part is data or a part of it.
func (p part) inData() bool {
	return p.name == "data" && p.pointer == "" || strings.HasPrefix(p.name, "data.")
}

// is reports whether the part may be of a type.
func (p part) is(name string) bool { return slices.Contains(p.Types, name) }

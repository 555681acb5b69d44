package observe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/schema"
)

// envelopeType stands for the members that lines of every type have.
const envelopeType = "envelope"

// streams are the names of the versions of the event contract; other schemas, and
// frozen revisions, have names too.
var streams = lazyregexp.New(`^openagent\.run_event\.v[0-9]{1,9}$`)

// freeNames begin the keys that producers may use as they like.
const freeNames = "x_"

// contract is what a published schema says of the lines of a stream. It is nil for
// other streams.
type contract struct{ types map[string]*spec }

// spec is what a published schema says of a value; nil speaks of none.
type spec struct {
	kinds      []string // nil for any
	required   []string
	properties map[string]*spec
	others     *spec // of keys that have no name, nil where there are none
	items      *spec
	length     int64  // the most that a text may have, 0 for any
	count      int64  // the most that an array may have, 0 for any
	least      *int64 // of integers, nil for any
	most       *int64
}

// load returns the contract of that name, nil where none is published.
func load(version string) *contract {
	if !streams().MatchString(version) {
		return nil
	}
	text, err := schema.Load(version)
	if err != nil {
		return nil
	}
	var document struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil
	}
	c := &contract{types: map[string]*spec{}}
	for name, definition := range document.Defs {
		c.types[name] = newSpec(definition)
	}
	return c
}

// typed returns what is said of a type of lines, nil where it is not known.
func (c *contract) typed(name string) *spec {
	if c == nil {
		return nil
	}
	return c.types[name]
}

// newSpec reads a schema that was decoded, nil for what is none.
func newSpec(v any) *spec {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	s := &spec{
		kinds: texts(m["type"]), required: texts(m["required"]),
		items: newSpec(m["items"]), others: newSpec(m["additionalProperties"]),
		least: whole(m["minimum"]), most: whole(m["maximum"]),
	}
	for keyword, bound := range map[string]*int64{"maxLength": &s.length, "maxItems": &s.count} {
		if n := whole(m[keyword]); n != nil {
			*bound = *n
		}
	}
	if properties, ok := m["properties"].(map[string]any); ok {
		s.properties = map[string]*spec{}
		for name, property := range properties {
			s.properties[name] = newSpec(property)
		}
	}
	return s
}

// texts returns a text or those of a list.
func texts(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			if text, ok := item.(string); ok {
				list = append(list, text)
			}
		}
	}
	return list
}

// whole returns a whole number, nil for none.
func whole(v any) *int64 {
	if n, ok := v.(float64); ok {
		return new(int64(n))
	}
	return nil
}

// of returns what is said of the parts of a value, nothing where nothing is said of it.
func (s *spec) of() spec {
	if s == nil {
		return spec{}
	}
	return *s
}

// allows reports whether a value may be of a kind: an integer is a number too.
func (s *spec) allows(k kind) bool {
	return s == nil || s.kinds == nil || slices.Contains(s.kinds, kindNames[k]) ||
		k == kindInteger && slices.Contains(s.kinds, kindNames[kindNumber])
}

// standing is what a schema says of a key of an object: declared, additive, free or
// unknown; empty where there is no schema.
func (s *spec) standing(name string) string {
	switch {
	case s == nil:
		return ""
	case slices.Contains(s.required, name):
		return Declared
	case s.properties[name] != nil, s.others != nil:
		return Additive
	case strings.HasPrefix(name, freeNames):
		return Free
	}
	return Unknown
}

// inCharacters are the texts whose length the contract counts in characters, not in
// bytes.
var inCharacters = []string{"summary_text", "message_short"}

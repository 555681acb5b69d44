// Package compat decides whether one published schema is a lawful successor of
// another.
package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Class says whom a change affects.
type Class string

// The classes. Only additive changes may be made within a version.
const (
	// Additive changes leave every valid line valid and tell readers nothing
	// that they could stumble over.
	Additive Class = "additive"
	// Narrowing makes lines invalid that were valid: producers break.
	Narrowing Class = "narrowing"
	// Widening lets readers meet what they could not meet before.
	Widening Class = "widening"
	// Meaning changes what lines are or how they are told apart.
	Meaning Class = "meaning"
)

// Change is one difference between two schemas.
type Change struct {
	Rule  string `json:"rule"`
	Class Class  `json:"class"`
	// Pointer is the JSON pointer of the place in the schema.
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// String returns the change as class: pointer: message (rule).
func (c Change) String() string {
	return fmt.Sprintf("%s: %s: %s (%s)", c.Class, c.Pointer, c.Message, c.Rule)
}

// Lawful reports whether all changes are additive, so that they may be made
// within a version.
func Lawful(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return c.Class != Additive })
}

// Compare returns the changes from one schema to the next, ordered by pointer.
// It reads schemas of the form in which the event contract is published:
// objects with properties, $defs, items, and types told apart by if and then at
// the root. A keyword that it does not know is reported as a change of meaning.
// An error means that a document is no schema, or that one is of another kind than
// the other: an event schema, a types schema, or that of a document.
func Compare(old, next []byte) ([]Change, error) {
	before, err := read(old)
	if err != nil {
		return nil, fmt.Errorf("old schema: %w", err)
	}
	after, err := read(next)
	if err != nil {
		return nil, fmt.Errorf("new schema: %w", err)
	}
	if a, b := kind(before), kind(after); a != b {
		return nil, fmt.Errorf("the old schema is %s, the new one %s", a, b)
	}
	var c comparison
	c.walk(pair{old: before, next: after})
	slices.SortStableFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Pointer, b.Pointer) })
	return c.changes, nil
}

// pair is a schema in both documents.
type pair struct {
	pointer   string
	old, next map[string]any
}

// reversed is the pair the other way round.
func (p pair) reversed() pair { return pair{p.pointer, p.next, p.old} }

// envelope reports whether the schema is that of the envelope, or of one of
// its members.
func (p pair) envelope() bool { return strings.HasPrefix(p.pointer+"/", "/$defs/envelope/") }

type comparison struct{ changes []Change }

// walk tries every rule on a pair and goes on with the schemas in it that both
// documents have; those that only one has are for the rules.
func (c *comparison) walk(p pair) {
	for _, r := range rules {
		if p.envelope() != r.envelope && !r.everywhere {
			continue
		}
		for _, d := range r.check(p) {
			c.changes = append(c.changes, Change{r.ID, r.Class, p.pointer + d.below, d.message})
		}
	}
	for _, keyword := range []string{"properties", "$defs"} {
		old, next := object(p.old[keyword]), object(p.next[keyword])
		for _, name := range slices.Sorted(maps.Keys(old)) {
			if member, ok := next[name]; ok {
				c.walk(pair{p.pointer + "/" + keyword + "/" + escape(name), schemaOf(old[name]), schemaOf(member)})
			}
		}
	}
	a, isOld := p.old["items"]
	b, isNext := p.next["items"]
	if isOld && isNext {
		c.walk(pair{p.pointer + "/items", schemaOf(a), schemaOf(b)})
	}
}

// schemaOf returns a schema as an object: true allows everything, and whatever
// is none nothing.
func schemaOf(v any) map[string]any {
	if v == true {
		return map[string]any{}
	}
	if node, ok := v.(map[string]any); ok {
		return node
	}
	return map[string]any{"not": map[string]any{}}
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// escape writes a name for a JSON pointer.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// show returns a value as JSON for a message.
func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return strconv.Quote(err.Error())
	}
	return string(b)
}

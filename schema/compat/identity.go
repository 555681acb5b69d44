package compat

import (
	"maps"
	"reflect"
	"slices"
)

// root reports whether the pair is that of both documents.
func root(p pair) bool { return p.pointer == "" }

func idChanged(p pair) (found []detail) {
	for _, keyword := range []string{"$id", "$schema"} {
		if !reflect.DeepEqual(p.old[keyword], p.next[keyword]) {
			found = append(found, detail{"/" + keyword, show(p.old[keyword]) + " is now " + show(p.next[keyword])})
		}
	}
	return found
}

// eventTypes is the place of the list of event types.
const eventTypes = "/$defs/envelope/properties/type"

func eventTypeAdded(p pair) []detail {
	if p.pointer != eventTypes {
		return nil
	}
	return each("/enum", gained(p, "enum"), "a new event type: ")
}

func eventTypeRemoved(p pair) []detail {
	if p.pointer != eventTypes {
		return nil
	}
	return each("/enum", gained(p.reversed(), "enum"), "no longer an event type: ")
}

// envelopeChanged reports everything but texts and the list of event types.
func envelopeChanged(p pair) (found []detail) {
	for _, keyword := range keywords(p, slices.Concat(textKeywords, []string{"properties", "items"})) {
		if p.pointer == eventTypes && keyword == "enum" {
			continue
		}
		found = append(found, detail{"/" + keyword, show(p.old[keyword]) + " is now " + show(p.next[keyword])})
	}
	found = append(found, details("properties", added(p.old, p.next, "properties"), "a new member")...)
	return append(found, details("properties", added(p.next, p.old, "properties"), "the member is gone")...)
}

// keywords returns those that differ and are not in known.
func keywords(p pair, skip []string) (names []string) {
	all := maps.Clone(p.old)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, p.next)
	for _, keyword := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(skip, keyword) && !reflect.DeepEqual(p.old[keyword], p.next[keyword]) {
			names = append(names, keyword)
		}
	}
	return names
}

// discriminatorChanged looks at the root's branches: each old one must be
// there unchanged, and a new one may speak of a new event type only.
func discriminatorChanged(p pair) []detail {
	if !root(p) {
		return nil
	}
	old, _ := list(p.old, "allOf")
	next, _ := list(p.next, "allOf")
	found := each("/allOf", only(old, next), "a branch is gone or changed: ")
	published, _ := list(member(p.old, "$defs", "envelope", "properties", "type"), "enum")
	branches, _ := p.next["allOf"].([]any)
	for _, branch := range branches {
		if text := show(branch); !slices.Contains(old, text) {
			typ, ok := member(branch, "if", "properties", "type")["const"]
			if !ok || slices.Contains(published, show(typ)) {
				found = append(found, detail{"/allOf", "a new branch for what was published: " + text})
			}
		}
	}
	return found
}

// member returns the object that names lead to, nil when there is none.
func member(v any, names ...string) map[string]any {
	node := object(v)
	for _, name := range names {
		node = object(node[name])
	}
	return node
}

// ruleKeywords are the keywords that a rule looks at.
var ruleKeywords = slices.Concat(textKeywords, values, forms, boundNames(), []string{
	"$id", "$schema", "$defs", "type", "properties", "required", "items", "additionalProperties",
})

func boundNames() (names []string) {
	for _, b := range bounds {
		names = append(names, b.keyword)
	}
	return names
}

// keywordChanged reports keywords that no rule looks at, and known ones whose
// form the rules do not read.
func keywordChanged(p pair) (found []detail) {
	skip := ruleKeywords
	if root(p) {
		skip = slices.Concat(ruleKeywords, []string{"allOf"})
	}
	for _, keyword := range keywords(p, skip) {
		found = append(found, detail{"/" + keyword, show(p.old[keyword]) + " is now " + show(p.next[keyword])})
	}
	if a, b := p.old["additionalProperties"], p.next["additionalProperties"]; (object(a) != nil || object(b) != nil) && !reflect.DeepEqual(a, b) {
		found = append(found, detail{"/additionalProperties", show(a) + " is now " + show(b)})
	}
	return found
}

package compat

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// textKeywords are keywords that bind nobody.
var textKeywords = []string{"title", "description", "$comment", "examples", "deprecated", "default"}

// textChanged looks at each text on its own.
func textChanged(p pair) (found []detail) {
	for _, keyword := range textKeywords {
		if !reflect.DeepEqual(p.old[keyword], p.next[keyword]) {
			found = append(found, detail{"/" + keyword, "another text"})
		}
	}
	return found
}

// added returns the names that only next has below a keyword.
func added(old, next map[string]any, keyword string) []string {
	names := maps.Clone(object(next[keyword]))
	maps.DeleteFunc(names, func(name string, _ any) bool {
		_, ok := object(old[keyword])[name]
		return ok
	})
	return slices.Sorted(maps.Keys(names))
}

// details returns one per name below a keyword.
func details(keyword string, names []string, message string) (found []detail) {
	for _, name := range names {
		found = append(found, detail{"/" + keyword + "/" + escape(name), message})
	}
	return found
}

// free reports whether the contract leaves a name to producers.
func free(name string) bool { return strings.HasPrefix(name, "x_") }

func propertyAdded(p pair) []detail {
	if closed(p.old) {
		return nil // objectOpened tells
	}
	names := slices.DeleteFunc(added(p.old, p.next, "properties"), free)
	return details("properties", names, "a new key")
}

func propertyInFreeNames(p pair) []detail {
	names := slices.DeleteFunc(added(p.old, p.next, "properties"), func(name string) bool { return !free(name) })
	return details("properties", names, "a new key under a name that producers may use")
}

// only returns the items of list that are not in other.
func only(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// list returns a keyword that holds a value or a list of values, as JSON
// texts; ok is false when the keyword is not there.
func list(node map[string]any, keyword string) (items []string, ok bool) {
	v, ok := node[keyword]
	values, isList := v.([]any)
	if !isList && ok {
		values = []any{v}
	}
	for _, v := range values {
		items = append(items, show(v))
	}
	return items, ok
}

// gained returns the items of a keyword that only the next schema has.
func gained(p pair, keyword string) []string {
	old, _ := list(p.old, keyword)
	next, _ := list(p.next, keyword)
	return only(next, old)
}

// each returns one detail per item, all at one place.
func each(below string, items []string, message string) (found []detail) {
	for _, item := range items {
		found = append(found, detail{below, message + item})
	}
	return found
}

// closed reports whether an object refuses keys that it does not describe.
func closed(node map[string]any) bool { return node["additionalProperties"] == false }

func objectClosed(p pair) (found []detail) {
	if closed(p.next) && !closed(p.old) {
		found = append(found, detail{"/additionalProperties", "further keys are refused"})
	}
	return found
}

// objectOpened takes a key that is added to a closed object for an opening:
// its readers could rely on all keys.
func objectOpened(p pair) (found []detail) {
	if !closed(p.old) {
		return nil
	}
	if !closed(p.next) {
		found = append(found, detail{"/additionalProperties", "further keys are allowed"})
	}
	return append(found, details("properties", added(p.old, p.next, "properties"), "a further key is allowed")...)
}

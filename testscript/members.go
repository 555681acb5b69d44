package testscript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/schema"
)

// knownType ends the script when the contract has no such type of event: a
// mistyped name would find nothing, and so never be lacked.
func knownType(ts *testscript.TestScript, typ string) {
	if types := schema.Types(); !slices.Contains(types, schema.Type(typ)) {
		var names []string
		for _, t := range types {
			names = append(names, string(t))
		}
		ts.Fatalf("the contract has no event type %q; known: %s", typ, strings.Join(names, ", "))
	}
}

// knownMember ends the script when neither the contract nor an event of the
// stream has a member at the pointer. A payload may hold more than the contract
// names, but what nobody prints is mistyped.
func knownMember(ts *testscript.TestScript, typ, pointer string, events []streamEvent) {
	tokens := strings.Split(pointer, "/")[1:]
	if declares(reflect.TypeOf(schema.NewPayload(schema.Type(typ))), tokens) {
		return
	}
	if slices.ContainsFunc(events, func(e streamEvent) bool {
		_, ok := lookup(e.data, pointer)
		return ok && e.typ == typ
	}) {
		return
	}
	ts.Fatalf("no %s has a member %s; the contract names: %s", typ, pointer,
		strings.Join(members(reflect.TypeOf(schema.NewPayload(schema.Type(typ)))), ", "))
}

// declares reports whether a payload of that type may hold a value at the
// tokens of a pointer.
func declares(t reflect.Type, tokens []string) bool {
	t = element(t)
	switch {
	case len(tokens) == 0:
		return true
	case t.Kind() == reflect.Slice:
		return tokens[0] != "" && strings.Trim(tokens[0], "0123456789") == "" && declares(t.Elem(), tokens[1:])
	case t.Kind() == reflect.Map, t.Kind() == reflect.Interface:
		return true
	case t.Kind() != reflect.Struct:
		return false
	}
	for _, f := range reflect.VisibleFields(t) {
		if name := memberName(f); name != "" && name == tokens[0] {
			return declares(f.Type, tokens[1:])
		}
	}
	return false
}

// members returns the pointers to the members of a payload, not those within.
func members(t reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(element(t)) {
		if name := memberName(f); name != "" {
			names = append(names, "/"+name)
		}
	}
	return names
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// element returns the type of the value that a pointer or a schema.Optional
// holds.
func element(t reflect.Type) reflect.Type {
	for {
		get, optional := t.MethodByName("Get")
		switch {
		case optional:
			t = get.Type.Out(0)
		case t.Kind() == reflect.Pointer:
			t = t.Elem()
		default:
			return t
		}
	}
}

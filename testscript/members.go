package testscript

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openagent-ci/openagent/schema"
)

// checkType ends the script when the contract has no such type of event: a
// mistyped name would find nothing, and so never be lacked.
func checkType(ts *testscript.TestScript, typ string) {
	if types := schema.Types(); !slices.Contains(types, schema.Type(typ)) {
		var names []string
		for _, t := range types {
			names = append(names, string(t))
		}
		ts.Fatalf("the contract has no event type %q; known: %s", typ, strings.Join(names, ", "))
	}
}

// checkMember ends the script when neither the contract nor an event of the
// stream has a member at the condition's pointer, or the contract's can never
// meet the condition. A payload may hold more than the contract names, but what
// nobody prints is mistyped.
func checkMember(ts *testscript.TestScript, typ string, c comparison, events []streamEvent) {
	payload := reflect.TypeOf(schema.NewPayload(schema.Type(typ)))
	member := declared(payload, strings.Split(c.member, "/")[1:])
	if member != nil && admits(member, c) {
		return
	}
	if slices.ContainsFunc(events, func(e streamEvent) bool {
		got, ok := e.member(c.member)
		return e.typ == typ && ok && (member == nil || c.holds(got))
	}) {
		return
	}
	if member != nil {
		ts.Fatalf("%s of %s is never %s: the contract has %s there", c.member, typ, c.want(), cmp.Or(kinds[member.Kind()], "no number"))
	}
	ts.Fatalf("no %s has a member %s; the contract names: %s", typ, c.member, strings.Join(members(payload), ", "))
}

// kinds names the types whose values can be distinguished from mistyped ones.
var kinds = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int64: "a whole number", reflect.Float64: "a number", reflect.String: "a text",
}

// admits reports whether a member of the type can meet the condition.
func admits(t reflect.Type, c comparison) bool {
	kind := t.Kind()
	number := kind == reflect.Int64 || kind == reflect.Float64
	switch c.op {
	case "=", "!=":
		return !number && kind != reflect.Bool || json.Unmarshal([]byte(c.value), reflect.New(t).Interface()) == nil
	case "*=", "~=":
		return !number && kind != reflect.Bool
	}
	return number || kind == reflect.Interface
}

// declared returns the type of the value that a payload of type t may hold at
// the tokens of a pointer, nil where it names none.
func declared(t reflect.Type, tokens []string) reflect.Type {
	t = element(t)
	switch {
	case len(tokens) == 0, t.Kind() == reflect.Map, t.Kind() == reflect.Interface:
		return t
	case t.Kind() == reflect.Slice && tokens[0] != "" && strings.Trim(tokens[0], "0123456789") == "":
		return declared(t.Elem(), tokens[1:])
	case t.Kind() != reflect.Struct:
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name := memberName(f); name != "" && name == tokens[0] {
			return declared(f.Type, tokens[1:])
		}
	}
	return nil
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

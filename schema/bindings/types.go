// Package bindings makes the form of the event schema that type generators
// understand.
package bindings

//go:generate go test . -run TestFiles_AreAsGenerated -update

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// TypesSchema returns the types schema of a published event schema: the same lines,
// as a union of one object for each type, with every object that has members under a
// name of its own. A schema that does not have the form of an event schema is
// refused, since the union could mean something else.
func TypesSchema(published []byte) ([]byte, error) {
	root, err := parse(published)
	if err != nil {
		return nil, fmt.Errorf("read event schema: %w", err)
	}
	types, err := eventTypes(root)
	if err != nil {
		return nil, fmt.Errorf("not an event schema: %w", err)
	}
	u := union{payloads: root.at("$defs"), forms: map[string][]string{}}
	for _, name := range types {
		u.count(name, name, root.at("$defs", name))
	}
	events := make([]any, len(types))
	for i, name := range types {
		events[i] = u.event(name)
		u.define(name, u.lifted(name, name, root.at("$defs", name)))
	}
	if u.twice != "" {
		return nil, fmt.Errorf("not an event schema: two definitions would be called %s", u.twice)
	}
	return newObject(
		"$schema", root.get("$schema"),
		"$id", fmt.Sprint(root.get("$id"), ":types"),
		"title", "event",
		"description", root.get("description"),
		"$comment", fmt.Sprintf("Made from %s for generators of types: the same lines are valid, and where the two differ, that one is right.", root.get("title")),
		"oneOf", events,
		"$defs", &u.defs,
	).text()
}

// eventTypes returns the types that the schema tells apart, in its order. An error
// says in which respect it has not the form of an event schema.
func eventTypes(root *object) ([]string, error) {
	for _, name := range root.names {
		if !slices.Contains([]string{"$schema", "$id", "title", "description", "$comment", "allOf", "$defs"}, name) {
			return nil, fmt.Errorf("its root has the keyword %q", name)
		}
	}
	envelope := root.at("$defs", "envelope").at("properties")
	version := envelope.at("schema_version").get("const")
	if version == nil || root.get("title") != version {
		return nil, errors.New("no envelope in $defs has the title as schema_version")
	}
	if envelope.at("data").get("type") != "object" {
		return nil, errors.New("its envelope has no data")
	}
	names, _ := envelope.at("type").get("enum").([]any)
	if len(names) == 0 {
		return nil, errors.New("its envelope lists no types")
	}
	var types []string
	for _, v := range names {
		name, _ := v.(string)
		if root.at("$defs", name).get("type") != "object" {
			return nil, fmt.Errorf("$defs has no payload for the type %q", name)
		}
		types = append(types, name)
	}
	want, err := parse(dispatch(types))
	if err != nil {
		return nil, err
	}
	if !equal(root.get("allOf"), want.get("allOf")) {
		return nil, errors.New("its allOf is not the envelope, then one if and then for each type, in order")
	}
	return types, nil
}

// dispatch returns the allOf that an event schema of these types has.
func dispatch(types []string) []byte {
	var b strings.Builder
	b.WriteString(`{"allOf": [{"$ref": "#/$defs/envelope"}`)
	for _, name := range types {
		fmt.Fprintf(&b, `, {"if": {"type": "object", "properties": {"type": {"const": %q}}, "required": ["type"]},`+
			`"then": {"type": "object", "properties": {"data": {"$ref": %q}}}}`, name, pointer(name))
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// union is a types schema that is being made.
type union struct {
	payloads *object // the definitions of the event schema
	defs     object
	// forms are the different objects that stand under each member's name, as text.
	forms map[string][]string
	twice string // a definition that has two meanings
}

// pointer returns where the definition of that name is.
func pointer(name string) string { return "#/$defs/" + name }

// define adds a definition.
func (u *union) define(name string, def *object) {
	if old := u.defs.at(name); old != nil && !equal(old, def) {
		u.twice = name
	}
	u.defs.set(name, def)
}

// refer adds a definition and returns a reference to it.
func (u *union) refer(name string, def *object) *object {
	u.define(name, def)
	return newObject("$ref", pointer(name))
}

// event returns the envelope of one type. Its other members are the same in all.
func (u *union) event(typ string) *object {
	members := &object{}
	for name, member := range u.payloads.at("envelope", "properties").objects() {
		switch name {
		case "type":
			members.set(name, newObject("type", "string", "const", typ))
		case "schema_version": // generators make a type of an enum, and of a const only where it tells objects apart
			members.set(name, u.refer(name, newObject("description", member.get("description"), "type", "string", "enum", []any{member.get("const")})))
		case "data":
			members.set(name, newObject("$ref", pointer(typ)))
		default:
			members.set(name, u.refer(name, u.lifted(typ, name, member)))
		}
	}
	event := newObject("title", typ+"_event", "description", u.payloads.at(typ).get("description"))
	for name, value := range u.payloads.at("envelope").all() {
		switch name {
		case "description", "examples":
		case "properties":
			event.set(name, members)
		default:
			event.set(name, value)
		}
	}
	return event
}

// singular returns the name of an item of the list of that name.
func singular(name string) string { return strings.TrimSuffix(name, "s") }

// count notes the forms of the objects in a schema, the one of a member with that
// name, itself at the top.
func (u *union) count(typ, name string, s *object) {
	if text := plain(s); name != typ && s.get("properties") != nil && !slices.Contains(u.forms[name], text) {
		u.forms[name] = append(u.forms[name], text)
	}
	for member, value := range s.at("properties").objects() {
		u.count(typ, member, value)
	}
	if items := s.at("items"); items != nil {
		u.count(typ, singular(name), items)
	}
}

// lifted returns a copy of a schema without examples, in which each object with
// members is a reference. Where several objects are members of the same name, each
// has its type before it.
func (u *union) lifted(typ, name string, s *object) *object {
	out := &object{}
	for keyword, value := range s.all() {
		switch keyword {
		case "examples":
		case "properties":
			members := &object{}
			for member, value := range s.at(keyword).objects() {
				members.set(member, u.nested(typ, member, value))
			}
			out.set(keyword, members)
		case "items":
			out.set(keyword, u.nested(typ, singular(name), s.at(keyword)))
		default:
			out.set(keyword, value)
		}
	}
	return out
}

// nested is lifted for an object within a payload.
func (u *union) nested(typ, name string, s *object) *object {
	out := u.lifted(typ, name, s)
	if s.get("properties") == nil {
		return out
	}
	if len(u.forms[name]) > 1 {
		name = typ + "_" + name
	}
	def := newObject("title", name)
	for keyword, value := range out.all() {
		def.set(keyword, value)
	}
	def.set("type", "object")
	ref := u.refer(name, def)
	if equal(s.get("type"), "object") {
		return ref
	}
	return newObject("oneOf", []any{ref, newObject("type", "null")})
}

// plain returns an object schema as text, whether or not it may be null.
func plain(s *object) string {
	alone := &object{}
	for keyword, value := range s.all() {
		alone.set(keyword, value)
	}
	alone.set("type", "object")
	text, _ := alone.MarshalJSON() // it was parsed
	return string(text)
}

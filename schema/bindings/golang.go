package bindings

import (
	"errors"
	"fmt"
	"go/format"
	"slices"
	"strings"
)

// GoTypes returns Go source of the types that a types schema describes, as a package
// of that name which imports the standard library alone. The generators in common use
// lose the union. What TypesSchema did not make is refused.
func GoTypes(types []byte, pkg string) ([]byte, error) {
	root, err := parse(types)
	if err != nil {
		return nil, fmt.Errorf("read types schema: %w", err)
	}
	events, _ := root.get("oneOf").([]any)
	if len(events) == 0 {
		return nil, errors.New("not a types schema: it has no oneOf")
	}
	g := goWriter{defs: root.at("$defs")}
	var names []string
	for _, v := range events {
		event, _ := v.(*object)
		name, _ := event.at("properties", "type").get("const").(string)
		if g.defs.at(name).get("properties") == nil {
			return nil, fmt.Errorf("not a types schema: no payload for the type %q", name)
		}
		names = append(names, name)
	}
	version, _ := g.defs.at("schema_version").get("enum").([]any)
	if len(version) != 1 {
		return nil, errors.New("not a types schema: no version is defined")
	}
	g.head(fmt.Sprint(version[0]), pkg)
	g.comment(fmt.Sprint("Event is a line. ", root.get("description")))
	g.event(events[0].(*object), names)
	for name, def := range g.defs.objects() {
		if def.get("properties") != nil {
			g.structure(name, def, slices.Contains(names, name))
		}
	}
	if g.err != nil {
		return nil, fmt.Errorf("not a types schema: %w", g.err)
	}
	return format.Source([]byte(g.String()))
}

// goWriter writes Go source.
type goWriter struct {
	strings.Builder
	defs *object
	err  error // the first member that has no Go type
}

func (g *goWriter) linef(form string, args ...any) { fmt.Fprintf(g, form+"\n", args...) }

// head writes what comes before the types, and how an object is read.
func (g *goWriter) head(version, pkg string) {
	g.linef("// Code generated from the types schema by go generate ./schema/bindings; DO NOT EDIT.\n")
	g.linef("// Package %s has the types of the event stream %s. They hold what a line\n// has; bounds, and all that concerns more than one line, are for the reader to check.\npackage %s\n", pkg, version, pkg)
	g.linef("import (\n\"encoding/json\"\n\"fmt\"\n\"reflect\"\n)\n")
	g.linef("// Version is the value of schema_version on every line.\nconst Version = %q\n", version)
	g.WriteString(goDecode)
}

// goDecode is the part that is the same for every types schema.
const goDecode = `
// member is where a member of an object is put.
type member struct {
	name               string
	to                 any
	required, nullable bool
}

// decode reads an object. Names are matched exactly; others are ignored unless the
// object is closed.
func decode(text []byte, closed bool, members ...member) error {
	var found map[string]json.RawMessage
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	if found == nil {
		return fmt.Errorf("null, want an object")
	}
	for _, m := range members {
		value, ok := found[m.name]
		delete(found, m.name)
		if !ok && m.required {
			return fmt.Errorf("%s is missing", m.name)
		}
		if !ok {
			continue
		}
		if err := m.decode(value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	for name := range found {
		if closed {
			return fmt.Errorf("unknown member %q", name)
		}
	}
	return nil
}

// decode reads the value of a member, which encoding/json would leave as it is when
// it is null.
func (m member) decode(value json.RawMessage) error {
	if string(value) == "null" {
		if !m.nullable {
			return fmt.Errorf("null, want a value")
		}
		return nil
	}
	var items []json.RawMessage
	switch kind := reflect.TypeOf(m.to).Elem(); {
	case kind.Kind() == reflect.Slice && kind != reflect.TypeFor[json.RawMessage]():
		if err := json.Unmarshal(value, &items); err != nil {
			return err
		}
	case kind.Kind() == reflect.Map:
		var named map[string]json.RawMessage
		if err := json.Unmarshal(value, &named); err != nil {
			return err
		}
		for _, item := range named {
			items = append(items, item)
		}
	}
	for _, item := range items {
		if string(item) == "null" {
			return fmt.Errorf("null in it, want values")
		}
	}
	return json.Unmarshal(value, m.to)
}

`

// event writes the envelope and the union of payloads.
func (g *goWriter) event(envelope *object, names []string) {
	g.linef("type Event struct {")
	for name, m := range envelope.at("properties").objects() {
		typ := "string"
		if name == "data" {
			g.linef("// Data is a pointer to the struct of the event's type.")
			typ = "Data"
		} else if name != "type" {
			m = g.resolved(m)
			g.describe(m)
			typ = g.scalar(name, m)
		}
		g.linef("%s %s `json:%q`", goName(name), typ, name)
	}
	g.linef("}\n")
	g.linef("// Data is what is told of an event: a pointer to one of the structs below, by type.\ntype Data interface{ eventType() string }\n")
	for _, name := range names {
		g.linef("func (*%s) eventType() string { return %q }", goName(name), name)
	}
	g.linef("\n// UnmarshalJSON refuses members that are missing, null or of another type where\n// the contract does, and a type or version that it does not have.")
	g.linef("func (v *Event) UnmarshalJSON(text []byte) error {\nvar data json.RawMessage")
	g.linef("err := decode(text, true,")
	for name := range envelope.at("properties").objects() {
		to := "&v." + goName(name)
		if name == "data" {
			to = "&data"
		}
		g.linef("member{%q, %s, true, false},", name, to)
	}
	g.linef(")\nif err != nil {\nreturn err\n}")
	g.linef("if v.SchemaVersion != Version {\nreturn fmt.Errorf(\"schema_version is %%q, want %%s\", v.SchemaVersion, Version)\n}")
	g.linef("switch v.Type {")
	for _, name := range names {
		g.linef("case %q:\nv.Data = new(%s)", name, goName(name))
	}
	g.linef("default:\nreturn fmt.Errorf(\"unknown type %%q\", v.Type)\n}\nreturn json.Unmarshal(data, v.Data)\n}\n")
}

// structure writes an object, and how it is read.
func (g *goWriter) structure(name string, def *object, payload bool) {
	what := " is part of data. "
	if payload {
		what = " is the data of " + name + ". "
	}
	g.comment(goName(name) + what + fmt.Sprint(def.get("description")))
	g.linef("type %s struct {", goName(name))
	var members strings.Builder
	required, _ := def.get("required").([]any)
	for member, m := range def.at("properties").objects() {
		must := slices.Contains(required, any(member))
		typ, null := g.typ(member, m)
		tag := member
		if !must {
			tag += ",omitzero"
		}
		if null || !must {
			typ = pointerTo(typ)
		}
		g.describe(m)
		g.linef("%s %s `json:%q`", goName(member), typ, tag)
		fmt.Fprintf(&members, "member{%q, &v.%s, %t, %t},\n", member, goName(member), must, null)
	}
	g.linef("}\n")
	g.linef("// UnmarshalJSON is as that of Event; members of other names are ignored.")
	g.linef("func (v *%s) UnmarshalJSON(text []byte) error {\nreturn decode(text, %t,\n%s)\n}\n", goName(name), def.get("additionalProperties") == false, members.String())
}

// pointerTo returns the type of a member that may be null or absent: nil where the
// type has that.
func pointerTo(typ string) string {
	if strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map[") {
		return typ
	}
	return "*" + typ
}

// resolved returns the definition that a schema refers to, or the schema itself.
func (g *goWriter) resolved(m *object) *object {
	ref, _ := m.get("$ref").(string)
	if def := g.defs.at(strings.TrimPrefix(ref, pointer(""))); def != nil {
		return def
	}
	return m
}

// typ returns the type of a member, and whether it may be null.
func (g *goWriter) typ(name string, m *object) (typ string, null bool) {
	if choice, _ := m.get("oneOf").([]any); len(choice) == 2 {
		ref, _ := choice[0].(*object)
		typ, _ := g.typ(name, ref)
		return typ, true
	}
	if ref, _ := m.get("$ref").(string); ref != "" && g.resolved(m).get("properties") != nil {
		return goName(strings.TrimPrefix(ref, pointer(""))), false
	}
	if kinds, _ := m.get("type").([]any); len(kinds) == 2 && kinds[1] == "null" {
		return g.scalar(name, newObject("type", kinds[0], "items", m.get("items"))), true
	}
	return g.scalar(name, m), false
}

// scalar returns the type of a member that is never null and has none of its own.
func (g *goWriter) scalar(name string, m *object) string {
	kind, _ := m.get("type").(string)
	item := m.at("items")
	if kind == "object" {
		item = m.at("additionalProperties")
	}
	switch {
	case (kind == "array" || kind == "object") && item != nil:
		typ, null := g.typ(name, item)
		if !null {
			return map[string]string{"array": "[]", "object": "map[string]"}[kind] + typ
		}
	case goKinds[kind] != "":
		return goKinds[kind]
	}
	if g.err == nil {
		g.err = fmt.Errorf("no Go type for %s", name)
	}
	return "any"
}

var goKinds = map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}

// describe writes the description of a member as its comment.
func (g *goWriter) describe(m *object) {
	if text, ok := g.resolved(m).get("description").(string); ok {
		g.comment(text)
	}
}

// comment writes a text as lines of a comment.
func (g *goWriter) comment(text string) {
	line := "//"
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > 90 {
			g.linef("%s", line)
			line = "//"
		}
		line += " " + word
	}
	g.linef("%s", line)
}

// initialisms are words that Go writes in capitals.
var initialisms = []string{"abi", "id", "mcp", "ms", "ok", "sha256", "ts", "usd"}

// goName writes a name of the contract as one of Go.
func goName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if slices.Contains(initialisms, part) {
			part = strings.ToUpper(part)
		} else if part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}

package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A frozen revision never changes: whoever pinned its digest relies on it. Add
// a new revision in the place of an edit.
func TestPublished_FrozenRevisionsAreUntouched(t *testing.T) {
	sums, err := files.ReadFile("published/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	names, err := fs.Glob(files, "published/*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		fmt.Fprintf(&got, "%s  %s\n", strings.TrimPrefix(Set{}.digest(Release{Path: name}), "sha256:"), strings.TrimPrefix(name, "published/"))
	}
	if diff := cmp.Diff(string(sums), got.String()); diff != "" {
		t.Errorf("published revisions (-SHA256SUMS +files):\n%s", diff)
	}
	if len(names) != Revision {
		t.Errorf("%d frozen revisions, want %d", len(names), Revision)
	}
}

func TestVersions_LoadByName(t *testing.T) {
	for _, r := range Versions() {
		text, err := Load(r.Name())
		if err != nil || !json.Valid(text) || r.Digest != (Set{}).digest(r) || len(r.Digest) != len("sha256:")+64 {
			t.Errorf("Load(%s) = %d bytes, %v; release %+v, want a schema and its digest", r.Name(), len(text), err, r)
		}
	}
	if got := Versions()[0]; got.Name() != Version || got.Digest != Digest() || got.Frozen {
		t.Errorf("Versions()[0] = %+v, want the current event schema", got)
	}
	_, err := Load("openagent.run_event.v9")
	if err == nil || !strings.Contains(err.Error(), "known: "+Version) {
		t.Errorf("Load(openagent.run_event.v9) = %v, want an error that names the known ones", err)
	}
}

// defs returns the definitions of the event schema by name.
func defs(t *testing.T) map[string]*described {
	t.Helper()
	text, err := Load(Version)
	if err != nil {
		t.Fatal(err)
	}
	var doc described
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Defs.members
}

// members returns the JSON names of a payload struct in the order of its
// fields, and those that are always printed.
func members(typ reflect.Type) (names, declared []string) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		if field.Anonymous {
			more, _ := members(field.Type)
			names = append(names, more...)
			continue
		}
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.HasPrefix(name, "x_") { // free for producers, ours too
			continue
		}
		names = append(names, name)
		if option == "" {
			declared = append(declared, name)
		}
	}
	return names, declared
}

func TestPublished_PayloadStructsHaveItsMembers(t *testing.T) {
	schemas := defs(t)
	for _, typ := range Types() {
		want := schemas[string(typ)]
		names, declared := members(reflect.TypeOf(NewPayload(typ)).Elem())
		if !slices.Equal(names, want.Properties.names) {
			t.Errorf("members of %s are %v, want %v as published", typ, names, want.Properties.names)
		}
		if !slices.Equal(declared, want.Required) {
			t.Errorf("declared keys of %s are %v, want %v as published", typ, declared, want.Required)
		}
	}
	names, _ := members(reflect.TypeFor[Event]())
	want := schemas["envelope"]
	if !slices.Equal(names, want.Properties.names) || !slices.Equal(names, want.Required) {
		t.Errorf("members of the envelope are %v, want %v as published", names, want.Properties.names)
	}
}

// The published file is the reference text: every member says what it is and
// shows a value.
func TestPublished_EveryMemberIsDocumentedAndShown(t *testing.T) {
	var walk func(at string, d *described)
	walk = func(at string, d *described) {
		if d.Description == "" || len(d.Examples) == 0 {
			t.Errorf("%s has the description %q and %d examples, want both", at, d.Description, len(d.Examples))
		}
		for name, member := range d.Properties.members {
			walk(at+"/"+name, member)
		}
		if d.Items != nil {
			walk(at+"/items", d.Items)
		}
	}
	for name, def := range defs(t) {
		walk(name, def)
	}
}

func TestPublished_BoundsAreThoseOfTheCode(t *testing.T) {
	schemas := defs(t)
	for pointer, want := range map[string]int{
		"tool_exec_finished/content_preview":   MaxPreviewBytes,
		"tool_call_detected/arguments_preview": MaxPreviewBytes,
		"tool_call_detected/text_preview":      MaxTextBytes,
		"run_finished/final_output":            MaxPreviewBytes,
		"run_finished/error":                   MaxPreviewBytes,
		"tool_decision/reason":                 MaxReasonBytes,
		"tool_retry/reason":                    MaxReasonBytes,
		"step_blocked/reason":                  MaxReasonBytes,
		"tool_exec_finished/summary_text":      MaxSummaryChars,
		"provider_error/message_short":         MaxMessageChars,
		"tool_exec_started/tool":               MaxStringBytes,
		"envelope/run_id":                      MaxReaderRunIDBytes,
	} {
		typ, name, _ := strings.Cut(pointer, "/")
		if got := schemas[typ].Properties.members[name].MaxLength; got != want {
			t.Errorf("maxLength of %s is %d, want %d", pointer, got, want)
		}
	}
}

// Validators minded as of draft-07 read a schema as they know it: none has a
// $ref beside other keywords, and each that speaks of members has a type.
func TestPublished_FormThatAllValidatorsRead(t *testing.T) {
	text, err := Load(Version)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	first, _ := json.Marshal(doc["allOf"].([]any)[0])
	if want := `{"$ref":"#/$defs/envelope"}`; string(first) != want || len(doc["allOf"].([]any)) != 1+len(Types()) {
		t.Errorf("allOf has %d schemas, the first %s, want %s and one per type", len(doc["allOf"].([]any)), first, want)
	}
	var walk func(at string, v any, names bool)
	walk = func(at string, v any, names bool) {
		list, _ := v.([]any)
		for i, item := range list {
			walk(fmt.Sprint(at, "/", i), item, false)
		}
		node, _ := v.(map[string]any)
		if _, isRef := node["$ref"]; !names && isRef && len(node) > 1 {
			t.Errorf("%s has $ref beside other keywords", at)
		}
		if _, typed := node["type"]; !names && !typed && (node["required"] != nil || node["properties"] != nil) {
			t.Errorf("%s has members and no type", at)
		}
		for name, value := range node {
			if name == "examples" && !names {
				continue
			}
			walk(at+"/"+name, value, !names && (name == "properties" || name == "$defs"))
		}
	}
	walk("", doc, false)
}

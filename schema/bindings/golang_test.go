package bindings_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/bindings"
	runevent "github.com/openagent-ci/openagent/schema/bindings/go"
)

func TestGo_Lines(t *testing.T) {
	for _, line := range marked(t, "Go") {
		text, _ := line[0].(string)
		if err := json.Unmarshal([]byte(text), new(runevent.Event)); (err == nil) != line[1] {
			t.Errorf("Unmarshal(%.300s) = %v, want it taken: %v", text, err, line[1])
		}
	}
}

// What encoding/json would leave as it was, or take for another name, is seen.
func TestGo_NullsAndNames(t *testing.T) {
	const line = `{"schema_version":"openagent.run_event.v1","sequence":2,"ts":"2026-03-03T20:11:12.000Z","run_id":"r1","step":1,"type":"tool_exec_finished","data":{
		"tool_call_id":null,"tool":"t","Tool":5,"ok":null,"content_preview":"","truncated":false,"original_bytes":null,"output_bytes":null,"x_new":[1e300]}}`
	var event runevent.Event
	if err := json.Unmarshal([]byte(line), &event); err != nil {
		t.Fatal(err)
	}
	tool, preview := "t", ""
	want := &runevent.ToolExecFinished{Tool: &tool, ContentPreview: &preview}
	if diff := cmp.Diff(want, event.Data); diff != "" {
		t.Errorf("data of the line (-want +got):\n%s", diff)
	}
	for old, with := range map[string]string{
		`"truncated":false`:      `"truncated":null`,
		`"x_new"`:                `"artifacts":[null],"x_new"`,
		`"output_bytes":null`:    `"artifacts":null`,
		`"ok":null`:              `"OK":true`,
		`"step":1`:               `"step":1.0`,
		`"step":1,`:              `"step":1,"x_trace":1,`,
		`tool_exec_finished"`:    `tool_exec_ended"`,
		`"original_bytes":null,`: `"original_bytes":null,"truncated_fields":[{"field":"a"}],`,
		`run_event.v1"`:          `run_event.v7"`,
	} {
		if err := json.Unmarshal([]byte(strings.Replace(line, old, with, 1)), new(runevent.Event)); err == nil {
			t.Errorf("Unmarshal with %s = nil, want an error", with)
		}
	}
	const unmapped = `{"terminal":"observed","unmapped":{"a":null}}`
	if err := json.Unmarshal([]byte(unmapped), new(runevent.RunFinishedSource)); err == nil {
		t.Errorf("Unmarshal(%s) = nil, want an error", unmapped)
	}
}

// Package schema has the same members, beside those that are our producers' own.
func TestGo_MembersOfSchema(t *testing.T) {
	for _, typ := range schema.Types() {
		event := runevent.Event{}
		line := `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"","run_id":"","step":0,"type":"` + string(typ) + `","data":{}}`
		_ = json.Unmarshal([]byte(line), &event) // some have members that are declared
		got, want := members(reflect.TypeOf(event.Data)), members(reflect.TypeOf(schema.NewPayload(typ)))
		if diff := cmp.Diff(want, got); diff != "" || len(got) < 3 {
			t.Errorf("members of %s in package schema and in the generated types (-schema +types):\n%s", typ, diff)
		}
	}
}

// members returns the names of a struct's members in JSON, sorted.
func members(typ reflect.Type) (names []string) {
	for f := range typ.Elem().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			names = append(names, members(reflect.PointerTo(f.Type))...)
		} else if !strings.HasPrefix(name, "x_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestGoTypes_Refuses(t *testing.T) {
	text := string(made(t))
	for name, c := range map[string]struct{ schema, want string }{
		"prose":      {"no schema", "read types schema: invalid character"},
		"published":  {published(t), "not a types schema: it has no oneOf"},
		"no payload": {strings.ReplaceAll(text, `"const": "run_started"`, `"const": "imagined"`), `no payload for the type "imagined"`},
		"no version": {strings.ReplaceAll(text, `"enum"`, `"examples"`), "no version is defined"},
		"two types":  {strings.Replace(text, `"type": "boolean"`, `"type": ["boolean", "string"]`, 1), "no Go type for "},
		"no type":    {strings.Replace(text, `"type": "boolean"`, `"examples": []`, 1), "no Go type for "},
	} {
		if got, err := bindings.GoTypes([]byte(c.schema), "runevent"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("GoTypes of %s = %d bytes, %v, want an error with %q", name, len(got), err, c.want)
		}
	}
}

// The readers are what a person writes in ten minutes.
func TestReaders_Size(t *testing.T) {
	files, err := filepath.Glob("../../docs/parsers/reader.*")
	if err != nil || len(files) < 3 {
		t.Fatalf("readers are %v, %v, want one for each language", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > 60 {
			t.Errorf("%s has %d lines, want at most 60", file, n)
		}
	}
}

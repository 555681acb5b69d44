package bindings_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/bindings"
)

var update = flag.Bool("update", false, "write what is generated")

// typesFile is the types schema beside the published one.
var typesFile = filepath.Join("..", schema.Version+".types.schema.json")

func published(t testing.TB) string {
	t.Helper()
	text, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// made returns the types schema of the published one.
func made(t testing.TB) []byte {
	t.Helper()
	text, err := bindings.TypesSchema([]byte(published(t)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFiles_AreAsGenerated(t *testing.T) {
	want := made(t)
	if *update {
		if err := os.WriteFile(typesFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(typesFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what is made of the published schema (%v); run go generate ./schema/bindings", typesFile, err)
	}
}

// A schema of a second version has a types schema of its own.
func TestTypesSchema_AnotherVersion(t *testing.T) {
	next := strings.NewReplacer("run_event.v1", "run_event.v2", "run_event:v1", "run_event:v2", "provider_retry", "provider_again").Replace(published(t))
	got, err := bindings.TypesSchema([]byte(next))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"$id": "urn:openagent:run_event:v2:types"`, `"openagent.run_event.v2"`, `"title": "provider_again_event"`, `"$ref": "#/$defs/provider_again"`} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("TypesSchema of another version has no %s", want)
		}
	}
	if bytes.Contains(got, []byte("run_event.v1")) {
		t.Error("the types of another version name the first one")
	}
}

// What has not the form of an event schema is refused, since its union could have
// another meaning.
func TestTypesSchema_Refuses(t *testing.T) {
	text := published(t)
	changed := func(old, with string) string {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("the schema has no %s", old)
		}
		return strings.Replace(text, old, with, 1)
	}
	manifest, err := schema.Load(schema.ManifestVersion)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ schema, want string }{
		"prose":            {"no schema", "read event schema: invalid character"},
		"list":             {"[]", "read event schema: it is no JSON object"},
		"torn":             {text[:len(text)/2], "read event schema: unexpected end of JSON input"},
		"two":              {text + "{}", "read event schema: invalid character '{' after top-level value"},
		"name twice":       {`{"$id":"a","$id":"b"}`, `the name "$id" stands twice`},
		"manifest":         {string(manifest), "not an event schema: its root has the keyword"},
		"types schema":     {string(made(t)), `its root has the keyword "oneOf"`},
		"empty":            {"{}", "no envelope in $defs has the title as schema_version"},
		"another title":    {changed(`"title": "openagent.run_event.v1"`, `"title": "x"`), "no envelope in $defs has the title"},
		"no data":          {changed(`"data": {`+"\n          \"desc", `"payload": {"desc`), "its envelope has no data"},
		"no types":         {changed(`"enum": [`, `"enum": [], "x": [`), "its envelope lists no types"},
		"type without":     {changed(`"enum": [`, `"enum": ["imagined",`), `$defs has no payload for the type "imagined"`},
		"type in no allOf": {changed(`"enum": [`, `"enum": ["envelope",`), "its allOf is not the envelope, then one if and then for each type"},
		"other then":       {changed(`"$ref": "#/$defs/run_started"`, `"$ref": "#/$defs/step_started"`), "its allOf is not the envelope"},
		"definition twice": {changed(`"agent": {`, `"run_finished": {`), "two definitions would be called run_finished"},
	} {
		if got, err := bindings.TypesSchema([]byte(c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("TypesSchema of %s = %d bytes, %v, want an error with %q", name, len(got), err, c.want)
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

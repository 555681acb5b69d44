package compat_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/compat"
)

func file(t *testing.T, elem ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func compare(t *testing.T, old, next []byte) []compat.Change {
	t.Helper()
	changes, err := compat.Compare(old, next)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// Each rule has a pair of schemas that differ in what it tells, and no other
// rule speaks of it.
func TestCompare_PairOfEachRule(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range compat.Rules() {
		ids[r.ID] = true
		old, next := file(t, r.ID, "old.json"), file(t, r.ID, "new.json")
		got := compare(t, old, next)
		if len(got) != 1 || got[0].Rule != r.ID || got[0].Class != r.Class || got[0].Pointer == "" || got[0].Message == "" {
			t.Errorf("Compare of the pair of %s = %v, want this rule alone with class %s", r.ID, got, r.Class)
		}
		if lawful := compat.Lawful(got); lawful != (r.Class == compat.Additive) {
			t.Errorf("Lawful(%v) = %t", got, lawful)
		}
		if again := compare(t, old, old); len(again) > 0 {
			t.Errorf("Compare of %s with itself = %v, want no change", r.ID, again)
		}
		if !strings.HasSuffix(r.Why, ".") {
			t.Errorf("rule %s: why is %q, want a sentence", r.ID, r.Why)
		}
	}
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !ids[d.Name()] {
			t.Errorf("testdata/%s belongs to no rule", d.Name())
		}
	}
}

// The opposite of a change is never unnoticed.
func TestCompare_PairsTurnedRound(t *testing.T) {
	for _, r := range compat.Rules() {
		if got := compare(t, file(t, r.ID, "new.json"), file(t, r.ID, "old.json")); len(got) == 0 {
			t.Errorf("Compare of the pair of %s, turned round: no change", r.ID)
		}
	}
}

func TestCompare_Details(t *testing.T) {
	const data = `{"$defs":{"a":{"properties":{"k":%}}}}`
	for _, tt := range []struct{ old, next, want string }{
		{`{"type":"integer"}`, `{"type":"number"}`, `widening: /$defs/a/properties/k/type: now allowed: "number" (type-added)`},
		{`{"type":"number"}`, `{"type":"integer"}`, `narrowing: /$defs/a/properties/k/type: no longer allowed: "number" (type-removed)`},
		{`{"type":"string"}`, `{"type":["string","null"]}`, `widening: /$defs/a/properties/k/type: now allowed: "null" (type-added)`},
		{`true`, `{"type":"string"}`, `narrowing: /$defs/a/properties/k/type: a type where any could stand (type-given)`},
		{`true`, `false`, `meaning: /$defs/a/properties/k/not: null is now {} (keyword-changed)`},
		{`{"maxLength":256}`, `{"maxLength":1e2}`, `narrowing: /$defs/a/properties/k/maxLength: less room: 256 and 1e2 (bound-tightened)`},
		{`{"minimum":1}`, `{"minimum":0}`, `widening: /$defs/a/properties/k/minimum: more room: 0 and 1 (bound-loosened)`},
		{`{}`, `{"maxItems":1}`, `narrowing: /$defs/a/properties/k/maxItems: less room: null and 1 (bound-tightened)`},
		{`{"const":1}`, `{"const":1,"enum":[1]}`, `narrowing: /$defs/a/properties/k/enum: its values are now named (value-removed)`},
		{`{"const":1,"enum":[1]}`, `{"const":1}`, `widening: /$defs/a/properties/k/enum: its values are no longer named (value-added)`},
		{`{"const":1}`, `{"const":1,"enum":[1,2]}`, `narrowing: /$defs/a/properties/k/enum: its values are now named (value-removed)`},
		{`{"maxProperties":3}`, `{"maxProperties":4}`, `widening: /$defs/a/properties/k/maxProperties: more room: 4 and 3 (bound-loosened)`},
		{`{"minLength":3}`, `{"minLength":4}`, `narrowing: /$defs/a/properties/k/minLength: less room: 3 and 4 (bound-tightened)`},
		{`{"pattern":"a"}`, `{"pattern":"b"}`, `narrowing: /$defs/a/properties/k/pattern: a form that texts need not have had: "b" (form-required)`},
		{`{"items":{"type":"string"}}`, `{"items":{"type":["string","null"]}}`,
			`widening: /$defs/a/properties/k/items/type: now allowed: "null" (type-added)`},
		{`{"properties":{"a/b":{"type":["string","null"]}}}`, `{"properties":{"a/b":{"type":"null"}}}`,
			`narrowing: /$defs/a/properties/k/properties/a~1b/type: no longer allowed: "string" (type-removed)`},
		{`{"additionalProperties":false}`, `{"additionalProperties":false,"properties":{"new":true}}`,
			`widening: /$defs/a/properties/k/properties/new: a further key is allowed (object-opened)`},
		{`{"additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"null"}}`,
			`meaning: /$defs/a/properties/k/additionalProperties: {"type":"string"} is now {"type":"null"} (keyword-changed)`},
	} {
		got := compare(t, []byte(strings.Replace(data, "%", tt.old, 1)), []byte(strings.Replace(data, "%", tt.next, 1)))
		if len(got) != 1 || got[0].String() != tt.want {
			t.Errorf("Compare(%s, %s) = %v, want %s", tt.old, tt.next, got, tt.want)
		}
	}
}

func TestCompare_BranchThatHoldsForAll(t *testing.T) {
	old := file(t, "text-changed", "old.json")
	var doc map[string]any
	if err := json.Unmarshal(old, &doc); err != nil {
		t.Fatal(err)
	}
	doc["allOf"] = append(doc["allOf"].([]any), map[string]any{"required": []string{"x"}})
	next, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if got := compare(t, old, next); len(got) != 1 || got[0].Rule != "discriminator-changed" {
		t.Errorf("Compare with a branch that holds for all types = %v, want discriminator-changed", got)
	}
}

func TestCompare_Unreadable(t *testing.T) {
	for _, text := range []string{``, `[]`, `null`, `{`} {
		if got, err := compat.Compare([]byte(text), []byte(`{}`)); err == nil || !strings.HasPrefix(err.Error(), "old schema: ") {
			t.Errorf("Compare(%q, {}) = %v, %v, want an error that names the old schema", text, got, err)
		}
		if got, err := compat.Compare([]byte(`{}`), []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "new schema: ") {
			t.Errorf("Compare({}, %q) = %v, %v, want an error that names the new schema", text, got, err)
		}
	}
}

// What is no schema is refused, and so are two schemas of which one is of another
// kind: no change leads from one to the other.
func TestCompare_OfOneKind(t *testing.T) {
	event, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	types, err := schema.Load(schema.TypesName)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := schema.Load(schema.ManifestVersion)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ next, want string }{
		{`{"schema":"openagent.schema_lock.v1","pins":[]}`, "new schema: not a JSON Schema: no member of it is a keyword"},
		{`{"schema_version":"openagent.run_event.v1","type":"run_started","data":{}}`, "new schema: not a JSON Schema: its type is none that a value can have"},
		{`{"type":["string",1]}`, "new schema: not a JSON Schema: its type is none that a value can have"},
		{`{"type":"object"} {"type":"object"}`, "new schema: text stands behind its JSON object, so it is no schema"},
		{`{"type":"object","properties":{}}`, "the old schema is an event schema, the new one no event schema"},
		{string(manifest), "the old schema is an event schema, the new one that of run_manifest"},
		{string(types), "the old schema is an event schema, the new one the types schema of run_event"},
	} {
		if got, err := compat.Compare(event, []byte(tt.next)); err == nil || err.Error() != tt.want {
			t.Errorf("Compare of the event schema with %.80s = %v, %v, want %s", tt.next, got, err, tt.want)
		}
	}
	for _, text := range [][]byte{event, types, manifest, []byte(`{"type":["object","null"]}`)} {
		if got, err := compat.Compare(text, text); err != nil || len(got) > 0 {
			t.Errorf("Compare of %.80s with itself = %v, %v, want no change", text, got, err)
		}
	}
}

// The current schema is a lawful successor of its newest frozen revision, and
// each revision of the one before.
func TestCompare_PublishedRevisionsAreLawful(t *testing.T) {
	var frozen []schema.Release
	current := schema.Versions()[0]
	for _, r := range schema.Versions() {
		if r.Frozen {
			frozen = append(frozen, r)
		}
	}
	for i, r := range append(frozen, current)[1:] {
		old, err := schema.Load(frozen[i].Name())
		if err != nil {
			t.Fatal(err)
		}
		next, err := schema.Load(r.Name())
		if err != nil {
			t.Fatal(err)
		}
		if changes := compare(t, old, next); !compat.Lawful(changes) {
			t.Errorf("%s is no lawful successor of %s: %v", r.Name(), frozen[i].Name(), changes)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, r := range compat.Rules() {
		old, err := os.ReadFile(filepath.Join("testdata", r.ID, "old.json"))
		if err != nil {
			f.Fatal(err)
		}
		next, err := os.ReadFile(filepath.Join("testdata", r.ID, "new.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(old, next)
	}
	f.Fuzz(func(t *testing.T, old, next []byte) {
		if changes, err := compat.Compare(old, old); err == nil && len(changes) > 0 {
			t.Errorf("Compare(%q) with itself = %v, want no change", old, changes)
		}
		if _, err := compat.Compare(old, next); err != nil && !strings.Contains(err.Error(), "schema: ") {
			t.Errorf("Compare(%q, %q): %v, want which schema", old, next, err)
		}
	})
}

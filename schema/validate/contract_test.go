package validate

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"

	"github.com/openagent-ci/openagent/schema"
)

func TestContract_HasEveryType(t *testing.T) {
	c := v1()
	for _, typ := range schema.Types() {
		if c.payloads[typ] == nil {
			t.Errorf("contract of %s: no node", typ)
		}
	}
	for _, name := range []string{"schema_version", "tool_call_id", "path", "cached_input_tokens", "original_bytes"} {
		if c.names[name].name != name {
			t.Errorf("contract does not know the name %s", name)
		}
	}
	if c.names["x_own"].name != "" {
		t.Error("contract knows x_own, want it the producers' own")
	}
}

// A name that is that of free names in one place is so everywhere: whose names
// are fixed leaves out what it does not know when it is judged.
func TestNode_FreeNamesAnywhere(t *testing.T) {
	for range 20 { // members come in any order
		interned := names{}
		free := &node{Properties: map[string]*node{"a": {Others: others{&node{}}}}}
		(&node{Properties: map[string]*node{"b": free, "c": {Properties: map[string]*node{"a": {}}}}}).prepare(interned)
		if !interned["a"].free || interned["b"].free {
			t.Fatalf("prepare = %v, want the names in a free and those in b not", interned)
		}
	}
}

func TestReport_StrictCountsWarnings(t *testing.T) {
	for _, tt := range []struct {
		id       string
		strict   bool
		severity Severity
		errors   int
	}{
		{lineNoNewline, false, SeverityWarning, 0},
		{lineNoNewline, true, SeverityError, 1},
		{flowTSBackwards, true, SeverityInfo, 0},
		{lineJSON, false, SeverityError, 1},
	} {
		r := &report{strict: tt.strict}
		r.add(tt.id, 0, "a", "b", "c")
		if f := r.findings[0]; f.Severity != tt.severity || r.errors != tt.errors || f.Message != "a is b, want c" {
			t.Errorf("add(%s) strictly %t = %+v with %d errors, want %s and %d", tt.id, tt.strict, f, r.errors, tt.severity, tt.errors)
		}
	}
}

// A keyword that nodes do not read would go unseen.
func TestNode_ReadsEveryKeyword(t *testing.T) {
	text, err := schema.Load(schema.Version)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"title": true, "description": true, "examples": true}
	for field := range reflect.TypeFor[node]().Fields() {
		known[field.Tag.Get("json")] = true
	}
	// What rules of their own judge, more closely than the schema can: bounds of
	// texts and numbers, further members, versions, types and times.
	for _, name := range []string{"minLength", "pattern", "maximum"} {
		known[name] = true
	}
	envelope := maps.Clone(known)
	for _, name := range []string{"const", "enum", "format", "additionalProperties"} {
		envelope[name] = true
	}
	unreadKeywords(t, envelope, doc.Defs["envelope"])
	delete(doc.Defs, "envelope")
	for _, def := range doc.Defs {
		unreadKeywords(t, known, def)
	}
}

func unreadKeywords(t *testing.T, known map[string]bool, def any) {
	t.Helper()
	members, _ := def.(map[string]any)
	for keyword, value := range members {
		if !known[keyword] {
			t.Errorf("the schema uses %q, which no node reads", keyword)
		}
		switch keyword {
		case "properties":
			for _, member := range value.(map[string]any) {
				unreadKeywords(t, known, member)
			}
		case "items", "additionalProperties", "propertyNames":
			unreadKeywords(t, known, value)
		}
	}
}

package validate

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/openagent-ci/openagent/schema"
)

// v1 is the contract of the current version.
var v1 = sync.OnceValue(func() *contract { return read(schema.Set{}, schema.Version) })

func TestContract_HasEveryType(t *testing.T) {
	for _, typ := range schema.Types() {
		if payload := v1().payloads[typ]; payload == nil || len(payload().Node().Properties) == 0 {
			t.Errorf("contract of %s: no payload", typ)
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

// The schemas use no keyword without a row, and none of which the library would not get
// all members.
func TestKeywordRules_HaveEveryKeyword(t *testing.T) {
	known := map[string]bool{"title": true, "description": true, "examples": true, "properties": true, "items": true, "propertyNames": true}
	for keyword := range keywordRules {
		known[keyword] = true
	}
	for _, release := range (schema.Set{}).Versions() {
		if release.Version != schema.Version {
			continue
		}
		text, err := schema.Load(release.Name())
		if err != nil {
			t.Fatal(err)
		}
		defs, _ := decode(text).(map[string]any)["$defs"].(map[string]any)
		if len(defs) <= len(schema.Types()) {
			t.Errorf("%s has %d $defs, want an envelope and all types", release.Path, len(defs))
		}
		for _, def := range defs {
			keywords(t, known, def)
		}
	}
}

func keywords(t *testing.T, known map[string]bool, def any) {
	t.Helper()
	members, _ := def.(map[string]any)
	properties, _ := members["properties"].(map[string]any)
	for keyword, value := range members {
		if !known[keyword] {
			t.Errorf("the schema uses %q, for which there is no row", keyword)
		}
		switch keyword {
		case "properties":
			for _, member := range properties {
				keywords(t, known, member)
			}
		case "items", "additionalProperties", "propertyNames":
			keywords(t, known, value)
		case "required":
			for _, name := range value.([]any) {
				if properties[name.(string)] == nil {
					t.Errorf("the schema requires %q, which it does not describe", name)
				}
			}
		}
	}
}

// Of a very long list or object enough is checked to see that there is too much, and
// nothing that the contract does not describe. No exponent reaches the library.
func TestCollect_Bounds(t *testing.T) {
	list, object := []any{}, map[string]any{}
	for i := range 2 * maxChecked {
		list = append(list, json.Number("1e999999999"))
		object[fmt.Sprintf("a%d", i)] = true
	}
	value := map[string]any{"allowed_tools": list, "source": map[string]any{"unmapped": object}, "x_own": list}
	for _, tt := range []struct {
		typ  schema.Type
		name string
	}{{schema.TypeStepStarted, "allowed_tools"}, {schema.TypeRunFinished, "source"}} {
		parts := []part{}
		got, _ := collect(&parts, part{Node: v1().payloads[tt.typ]().Node(), value: value, name: "data"}).(map[string]any)
		list, isList := got[tt.name].([]any)
		free, _ := got[tt.name].(map[string]any)
		names, _ := free["unmapped"].(map[string]any)
		if len(got) != 1 || max(len(list), len(names)) != maxChecked+1 || isList && list[0] != json.Number("1") || len(parts) > maxChecked+4 {
			t.Errorf("%s: collected %d members, %d items, %d names and %d parts, want 1 and at most %d", tt.typ, len(got), len(list), len(names), len(parts), maxChecked+1)
		}
	}
}

package validate

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/schema"
)

func TestCompiler_ReadsNothingElse(t *testing.T) {
	for _, ref := range []string{"https://example.invalid/other.json", "file:///etc/hostname", "other.json"} {
		compiler, err := newCompiler("urn:test", []byte(`{"$ref":"`+ref+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compiler.Compile("urn:test"); err == nil || !strings.Contains(err.Error(), "not part of the contract") {
			t.Errorf("Compile with a reference to %s: %v, want it refused", ref, err)
		}
	}
}

func TestContract_KnowsEveryType(t *testing.T) {
	c := v1()
	for _, typ := range schema.Types() {
		if c.compiled().payloads[typ] == nil || c.payloads[typ] == nil {
			t.Errorf("contract of %s: no compiled schema or no node", typ)
		}
	}
	for _, name := range []string{"schema_version", "tool_call_id", "path", "cached_input_tokens", "original_bytes"} {
		if c.names[name] != name {
			t.Errorf("contract does not know the name %s", name)
		}
	}
	if c.names["x_own"] != "" {
		t.Error("contract knows x_own, want it the producers' own")
	}
}

// Lines without a fault are judged without the schema library: to compile it
// takes longer than to judge a thousand of them.
func TestContract_FaultlessLinesNeedNoLibrary(t *testing.T) {
	c := *v1()
	c.compiled = func() *compiled {
		t.Error("the library was asked")
		return v1().compiled()
	}
	for _, v := range golden.Vectors() {
		if len(v.Findings) > 0 {
			continue
		}
		for line := range bytes.Lines(v.Stream) {
			r := &report{}
			checkSchema(r, &c, readEvent(bytes.TrimSuffix(line, []byte("\n")), c.names), schema.Version, true)
			if t.Failed() {
				t.Fatalf("%s: %s", v.Name, line)
			}
		}
	}
}

// The schema library panics on a number whose exponent it cannot write out.
func TestMismatches_SurvivesTheLibrary(t *testing.T) {
	got := mismatches(v1().compiled().envelope, map[string]any{"sequence": json.Number("1e10000000")})
	if want := []mismatch{{keyword: "panic"}}; !slices.Equal(got, want) {
		t.Errorf("mismatches of a number that panics = %v, want %v", got, want)
	}
	got = mismatches(v1().compiled().envelope, map[string]any{"sequence": struct{}{}})
	if want := []mismatch{{keyword: "error"}}; !slices.Equal(got, want) {
		t.Errorf("mismatches of what is no JSON = %v, want %v", got, want)
	}
}

// What the library cannot judge is a finding, not silence.
func TestReport_MismatchOfAnyKeyword(t *testing.T) {
	r := &report{line: 3}
	r.mismatch(schemaData, v1().payloads["run_finished"], map[string]any{}, "/data", mismatch{keyword: "panic"})
	if len(r.findings) != 1 || r.findings[0].String() != ":3: schema/data: data does not match the schema" {
		t.Errorf("mismatch = %v, want one finding", r.findings)
	}
}

func TestNode_AtFollowsListsAndMembers(t *testing.T) {
	n := v1().payloads["tool_exec_finished"]
	for pointer, want := range map[string]string{
		"": "object", "/ok": "boolean", "/artifacts": "array", "/artifacts/7": "object", "/artifacts/7/path": "string",
	} {
		if got := n.at(pointer); got == nil || !got.Type.has(want) {
			t.Errorf("at(%q) = %+v, want a node of type %s", pointer, got, want)
		}
	}
	in := map[string]any{"a": []any{"x", map[string]any{"b": 1}}}
	for pointer, want := range map[string]any{"/a/0": "x", "/a/1/b": 1, "/a/2": nil, "/a/x": nil, "/a/0/b": nil} {
		if got, _ := lookUp(in, pointer); got != want {
			t.Errorf("lookUp(%s) = %v, want %v", pointer, got, want)
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

// A keyword that nodes do not read would go unseen where they spare the
// library its work.
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
	for name := range elsewhere {
		known[name] = true
	}
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
		case "items":
			unreadKeywords(t, known, value)
		}
	}
}

package document

import (
	"encoding/json"
	"strings"
	"testing"
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

// The schema library panics on a number whose exponent it cannot write out.
func TestMismatch_SurvivesTheLibrary(t *testing.T) {
	compiler, err := newCompiler("urn:test", []byte(`{"type":"integer"}`))
	if err != nil {
		t.Fatal(err)
	}
	s := compiler.MustCompile("urn:test")
	for keyword, v := range map[string]any{"panic": json.Number("1e10000000"), "error": struct{}{}, "type": "x"} {
		if _, got, ok := mismatch(s, v); ok || got != keyword {
			t.Errorf("mismatch of %v = %s, %t, want %s", v, got, ok, keyword)
		}
	}
}

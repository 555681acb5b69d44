package record

import (
	"strings"
	"testing"
)

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "Z9": true, "20260102T030405Z-0a1b": true, "a._-": true, strings.Repeat("x", 64): true,
		"": false, ".a": false, "-a": false, "_a": false, "a/b": false, "a b": false, "a\n": false, "ä": false, "aä": false, strings.Repeat("x", 65): false,
	} {
		if got := ValidID(id); got != want {
			t.Errorf("ValidID(%q) = %v, want %v", id, got, want)
		}
	}
}

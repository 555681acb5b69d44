package testscript

import "testing"

func TestLookup_FollowsEscapes(t *testing.T) {
	data := map[string]any{"a/b": map[string]any{"c~d": []any{"x", "y"}}}
	if got, ok := lookup(data, "/a~1b/c~0d/1"); got != "y" || !ok {
		t.Errorf("lookup(/a~1b/c~0d/1) = %v, %v, want y", got, ok)
	}
	for _, pointer := range []string{"/a", "/a~1b/c~0d/2", "/a~1b/c~0d/-1", "/a~1b/c~0d/0/x"} {
		if got, ok := lookup(data, pointer); ok {
			t.Errorf("lookup(%s) = %v, want nothing", pointer, got)
		}
	}
}

func TestMatches_WholeAndPart(t *testing.T) {
	e := streamEvent{data: map[string]any{"s": "a=b", "n": nil, "x/y": "1"}}
	for want, ok := range map[memberCondition]bool{
		{"/s", "a=b", false}: true, {"/s", "a", false}: false, {"/s", "a", true}: true, {"/s", "=", true}: true, {"/s", "c", true}: false,
		{"/n", "null", false}: true, {"/n", "n", true}: false, {"/x~1y", "1", false}: true, {"/absent", "", false}: false,
	} {
		if got := e.matches(want); got != ok {
			t.Errorf("matches(%v) = %v, want %v", want, got, ok)
		}
	}
}

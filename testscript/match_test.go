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
	e := streamEvent{"t", map[string]any{"s": "a=b", "n": nil, "x/y": "1"}}
	for want, ok := range map[string]bool{
		"/s=a=b": true, "/s=a": false, "/s*=a": true, "/s*==": true, "/s*=c": false, "/n=null": true, "/n*=n": false, "/x~1y=1": true, "/absent=": false,
	} {
		if got := e.matches(nil, want); got != ok {
			t.Errorf("matches(%s) = %v, want %v", want, got, ok)
		}
	}
}

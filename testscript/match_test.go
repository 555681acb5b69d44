package testscript

import (
	"encoding/json"
	"testing"
)

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

func TestComparison_Operators(t *testing.T) {
	e := streamEvent{data: map[string]any{"s": "a=b", "n": nil, "x/y": "1", "i": json.Number("12"), "f": json.Number("0.5"), "b": true}}
	for text, want := range map[string]bool{
		"/s=a=b": true, "/s=a": false, "/s!=a": true, "/s!=a=b": false, "/s*=a": true, "/s*==": true, "/s*=c": false,
		"/s~=^a.b$": true, "/s~=^b": false, "/i~=1": false, "/n=null": true, "/n*=n": false, "/x~1y=1": true,
		"/i<13": true, "/i<12": false, "/i<=12": true, "/i<=11": false, "/i>11.5": true, "/i>12": false, "/i>=12": true, "/i>=13": false,
		"/f>0.25": true, "/f=0.5": true, "/i=12": true, "/i!=12": false, "/s<9": false, "/b=true": true, "/b!=true": false,
		// What is not there meets nothing.
		"/absent=": false, "/absent!=1": false, "/absent<1": false,
	} {
		c, err := parseComparison(text)
		if line, _ := unmet([]comparison{c}, e.member); (line == "") != want || err != nil {
			t.Errorf("unmet(%s) = %q, %v, want it to hold: %v", text, line, err, want)
		}
	}
}

package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/compat"
	"github.com/openagent-ci/openagent/schema/validate"
)

func TestChanges(t *testing.T) {
	added := compat.Change{Rule: "r1", Class: compat.Additive, Pointer: "/a", Message: "a new member\n::error::x"}
	tighter := compat.Change{Rule: "r2", Class: compat.Narrowing, Pointer: "/b", Message: "a tighter bound"}
	for name, tt := range map[string]struct {
		list   []compat.Change
		sum    string
		lawful string
	}{
		"none":     {nil, "no change\n", `"lawful": true,` + "\n" + `  "changes": []`},
		"additive": {[]compat.Change{added}, "\nchanges: 1, all additive: lawful within the version\n", `"lawful": true`},
		"others":   {[]compat.Change{added, tighter}, "\nchanges: 2, not additive: 1: this needs a new version\n", `"lawful": false`},
	} {
		c := Changes{Old: "old", New: "new", List: tt.list}
		if got := c.String(); !strings.HasSuffix(got, tt.sum) || strings.Count(got, "\n") != len(tt.list)+1 {
			t.Errorf("%s: changes are %q, want a line each and %q", name, got, tt.sum)
		}
		var b bytes.Buffer
		if err := c.WriteJSON(&b); err != nil || !strings.Contains(b.String(), tt.lawful) {
			t.Errorf("%s: WriteJSON = %s, %v, want %s", name, &b, err, tt.lawful)
		}
	}
	found := Changes{New: "new", List: []compat.Change{added, tighter}}.Findings()
	if found[0].Severity != validate.SeverityInfo || found[1].Severity != validate.SeverityError || found[1].String() != "new: r2: narrowing: /b: a tighter bound" {
		t.Errorf("Findings = %v, want a notice and an error", found)
	}
}

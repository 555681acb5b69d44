package validate_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/validate"
)

func TestRules_AreTold(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range validate.Rules() {
		stage, name, ok := strings.Cut(r.ID, "/")
		if !ok || name == "" || r.Stage != validate.StageProcess && stage != string(r.Stage) {
			t.Errorf("rule %s is of stage %s, want the stage before its slash", r.ID, r.Stage)
		}
		if seen[r.ID] || r.Doc == "" || !strings.HasSuffix(r.Help, ".") || strings.HasSuffix(r.Doc, ".") {
			t.Errorf("rule %+v: want an id of its own, a clause and a sentence", r)
		}
		seen[r.ID] = true
		if got, ok := validate.RuleByID(r.ID); !ok || got != r {
			t.Errorf("RuleByID(%s) = %+v, %t, want %+v", r.ID, got, ok, r)
		}
	}
	if _, ok := validate.RuleByID("no/such"); ok {
		t.Error("RuleByID(no/such) is ok, want not")
	}
	for _, id := range []string{validate.RuleExitStatus, validate.RuleSecret, validate.RuleStreamCap, validate.RuleGolden} {
		if f := validate.NewFinding(id, 3, "m"); f.Rule != id || f.Line != 3 || f.Severity != validate.SeverityError {
			t.Errorf("NewFinding(%s) = %+v, want an error at line 3", id, f)
		}
	}
}

func TestRules_AreTheCallersOwn(t *testing.T) {
	validate.Rules()[0].ID = "changed"
	if got := validate.Rules()[0].ID; got == "changed" {
		t.Errorf("Rules()[0].ID = %s after a caller changed its copy", got)
	}
}

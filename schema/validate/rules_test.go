package validate_test

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema/validate"
)

func TestRules_AreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range validate.Rules() {
		stage, name, ok := strings.Cut(r.ID, "/")
		if !ok || name == "" || r.Stage != validate.StageProcess && stage != string(r.Stage) {
			t.Errorf("rule %s is of stage %s, want the stage before its slash", r.ID, r.Stage)
		}
		if r.Rest != validate.RestLine && r.Rest != validate.RestEnvelope && r.Rest != validate.RestNothing {
			t.Errorf("rule %s leaves %q readable, want line, envelope or nothing", r.ID, r.Rest)
		}
		if r.Stage.Why() == "" {
			t.Errorf("stage %s does not say why", r.Stage)
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
}

func TestNewFinding_TakesTheSeverityOfItsRule(t *testing.T) {
	for id, severity := range map[string]validate.Severity{
		"run/exit-status": "error", "run/secret": "error", "run/stream-cap": "error", "run/golden": "error",
		"run/output-schema": "error", "run/tampering": "warning", "run/evidence": "error",
		"agent/unmapped": "warning", "agent/format": "error", "agent/session": "error",
		"agent/contradiction": "error", "agent/late-denial": "warning", "agent/loss": "warning", "agent/hidden-call": "warning", "agent/unserved-call": "warning",
		"agent/version": "warning",
	} {
		want := validate.Finding{Line: 3, Rule: id, Severity: severity, Message: "m"}
		if f := validate.NewFinding(id, 3, "m"); f != want {
			t.Errorf("NewFinding(%s) = %+v, want %+v", id, f, want)
		}
		if f := validate.NewFinding(id, 3, "m").Strict(); f.Severity != validate.SeverityError {
			t.Errorf("%s when strict is of severity %s, want error", id, f.Severity)
		}
	}
	if f := validate.NewFinding("flow/ts-backwards", 3, "m").Strict(); f.Severity != validate.SeverityInfo {
		t.Errorf("an info when strict is of severity %s, want info", f.Severity)
	}
}

func TestRules_AreTheCallersOwn(t *testing.T) {
	validate.Rules()[0].ID = "changed"
	if got := validate.Rules()[0].ID; got == "changed" {
		t.Errorf("Rules()[0].ID = %s after a caller changed its copy", got)
	}
}

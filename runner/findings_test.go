package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/schema/validate"
)

func TestCollector_RedactsWhatFindingsQuote(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{File: "f"}, redact.New([]string{"sk-test-0123456789"}))
	c.add([]validate.Finding{{Line: 1, Rule: "r", Message: "sk-test-0123456789 is no object", Got: "sk-test-0123456789"}})
	want := []validate.Finding{{File: "f", Line: 1, Rule: "r", Message: redact.Mask + " is no object", Got: redact.Mask}}
	if diff := cmp.Diff(want, e.Findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestCollector_CountsWhatItDrops(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{MaxFindings: 2}, nil)
	for range 3 {
		c.add([]validate.Finding{{Rule: "a", Severity: validate.SeverityError}, {Rule: "b", Severity: validate.SeverityWarning}})
	}
	c.addRun(0, ruleExitStatus, "status 1", "status 0")
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 3, ruleExitStatus: 1}, e.FindingCounts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if e.Errors != 4 || c.firstError.Rule != "a" || len(e.Findings) != 2 || e.Findings[1].Rule != ruleExitStatus {
		t.Errorf("%d errors, first %v, kept %v, want 4, a, and run/exit-status kept", e.Errors, c.firstError, e.Findings)
	}
}

// What only the end shows stands at its line, also when the list is full.
func TestCollector_OrderOfLines(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{MaxFindings: 3}, nil)
	for _, line := range []int{3, 5, 7, 9} {
		c.add([]validate.Finding{{Line: line, Rule: "a", Severity: validate.SeverityError}})
	}
	c.close([]validate.Finding{{Line: 4, Rule: "b", Severity: validate.SeverityWarning}, {Line: 2, Rule: "c", Severity: validate.SeverityError}, {Rule: "d"}})
	var lines []int
	for _, f := range e.Findings {
		lines = append(lines, f.Line)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, lines); diff != "" {
		t.Errorf("lines of the findings (-want +got):\n%s", diff)
	}
	if c.firstError.Line != 2 || e.Errors != 5 || e.FindingCounts["a"] != 4 {
		t.Errorf("first error in line %d, %d errors, counts %v, want line 2, 5, and a 4 times", c.firstError.Line, e.Errors, e.FindingCounts)
	}
}

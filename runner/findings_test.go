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
	c.addRun(0, validate.RuleExitStatus, "status 1", "status 0")
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 3, validate.RuleExitStatus: 1}, e.FindingCounts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if e.Errors != 4 || c.firstError.Rule != "a" || len(e.Findings) != 2 || e.Findings[1].Rule != validate.RuleExitStatus {
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

// Findings that only a caller can make follow the strictness of the stream.
func TestCollector_StrictWarningsAreErrors(t *testing.T) {
	for strict, want := range map[bool]validate.Severity{false: validate.SeverityWarning, true: validate.SeverityError} {
		e := &Execution{}
		c := newCollector(e, Config{Stream: validate.Options{Strict: strict}}, nil)
		c.close([]validate.Finding{validate.NewFinding(validate.RuleTampering, 0, "m")})
		if got := e.Findings[0].Severity; got != want || (e.Errors == 1) != strict || (c.firstError != nil) != strict {
			t.Errorf("strict %t: severity %s, %d errors, first %v, want %s, counted as such", strict, got, e.Errors, c.firstError, want)
		}
	}
}

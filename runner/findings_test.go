package runner

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/schema/validate"
)

func TestCollector_RedactsWhatFindingsQuote(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{File: "f"}, redact.New([]string{"sk-test-0123456789"}))
	c.add([]validate.Finding{{Line: 1, Rule: "r", Message: "sk-test-0123456789 is no object", Got: "sk-test-0123456789"}})
	want := []validate.Finding{{File: "f", Line: 1, Rule: "r", Message: redact.Mask + " is no object", Got: redact.Mask}}
	if diff := cmp.Diff(want, c.list()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestCollector_CountsWhatItDrops(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{MaxFindings: 2}, nil)
	for range 3 {
		c.add([]validate.Finding{finding(1, "a", validate.SeverityError), finding(1, "b", validate.SeverityWarning)})
	}
	c.addRun(0, validate.RuleExitStatus, "status 1", "status 0")
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 3, validate.RuleExitStatus: 1}, e.FindingCounts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if list := c.list(); e.Errors != 4 || c.firstError.Rule != "a" || len(list) != 2 || list[1].Rule != validate.RuleExitStatus {
		t.Errorf("%d errors, first %v, kept %v, want 4, a, and run/exit-status kept", e.Errors, c.firstError, list)
	}
}

// finding returns one of a rule at a line.
func finding(line int, rule string, severity validate.Severity) validate.Finding {
	return validate.Finding{Line: line, Rule: rule, Severity: severity}
}

// places names findings by line and rule.
func places(findings []validate.Finding) (list []string) {
	for _, f := range findings {
		list = append(list, fmt.Sprint(f.Line, " ", f.Rule))
	}
	return list
}

// What only the end shows stands at its line, also when the list is full.
func TestCollector_OrderOfLines(t *testing.T) {
	e := &Execution{}
	c := newCollector(e, Config{MaxFindings: 3}, nil)
	for _, line := range []int{3, 5, 7, 9} {
		c.add([]validate.Finding{finding(line, "a", validate.SeverityError)})
	}
	c.close([]validate.Finding{finding(2, "a", validate.SeverityError), finding(4, "b", validate.SeverityWarning)})
	if diff := cmp.Diff([]string{"2 a", "3 a", "5 a"}, places(c.list())); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if c.firstError.Line != 2 || e.Errors != 5 || e.FindingCounts["a"] != 5 {
		t.Errorf("first error in line %d, %d errors, counts %v, want line 2, 5, and a 5 times", c.firstError.Line, e.Errors, e.FindingCounts)
	}
}

// A full list gives way to what weighs more, whenever it comes: the stream as a
// whole, then errors, and of each severity every rule once.
func TestCollector_KeepsWhatWeighsMost(t *testing.T) {
	const info, warning, err = validate.SeverityInfo, validate.SeverityWarning, validate.SeverityError
	for _, tt := range []struct {
		name  string
		max   int
		found []validate.Finding
		want  []string
	}{
		{"an error behind warnings", 2,
			[]validate.Finding{finding(1, "w", warning), finding(2, "w", warning), finding(3, "w", warning), finding(4, "e", err)},
			[]string{"4 e", "1 w"}},
		{"a warning behind infos", 2,
			[]validate.Finding{finding(1, "i", info), finding(2, "i", info), finding(3, "w", warning)},
			[]string{"3 w", "1 i"}},
		{"all by line, the whole last", 5,
			[]validate.Finding{finding(1, "w", warning), finding(2, "e", err), finding(0, "e", err), finding(3, "i", info), finding(4, "e", err)},
			[]string{"1 w", "2 e", "3 i", "4 e", "0 e"}},
		{"some with errors first, each by line, the whole last", 4,
			[]validate.Finding{finding(1, "w", warning), finding(2, "e", err), finding(0, "e", err), finding(3, "i", info), finding(4, "e", err)},
			[]string{"2 e", "4 e", "0 e", "1 w"}},
		{"those of one line as they came", 9,
			[]validate.Finding{finding(1, "e", err), finding(2, "e", err), finding(2, "f", err), finding(2, "e", err)},
			[]string{"1 e", "2 e", "2 f", "2 e"}},
		{"each rule once", 3,
			[]validate.Finding{finding(1, "e", err), finding(2, "e", err), finding(3, "e", err), finding(4, "f", err), finding(5, "g", err)},
			[]string{"1 e", "4 f", "5 g"}},
		{"the whole before errors", 2,
			[]validate.Finding{finding(1, "e", err), finding(2, "f", err), finding(3, "g", err), finding(0, "h", warning)},
			[]string{"1 e", "0 h"}},
		{"the whole always", 1,
			[]validate.Finding{finding(1, "e", err), finding(0, "m", err), finding(0, "m", err), finding(0, "x", err)},
			[]string{"0 m", "0 m", "0 x"}},
	} {
		e := &Execution{}
		c := newCollector(e, Config{MaxFindings: tt.max}, nil)
		c.add(tt.found)
		if diff := cmp.Diff(tt.want, places(c.list())); diff != "" {
			t.Errorf("%s: kept (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Very many findings of the stream as a whole hide no other rule of it.
func TestCollector_WholeStreamIsBounded(t *testing.T) {
	c := newCollector(&Execution{}, Config{}, nil)
	for range 3 * DefaultMaxFindings {
		c.add([]validate.Finding{finding(0, "m", validate.SeverityError)})
	}
	c.addRun(0, validate.RuleExitStatus, "status 1", "status 0")
	list := places(c.list())
	if len(list) > 2*DefaultMaxFindings || !slices.Contains(list, "0 "+validate.RuleExitStatus) {
		t.Errorf("%d kept: %v, want few, run/exit-status among them", len(list), list)
	}
}

// Findings that only a caller can make follow the strictness of the stream.
func TestCollector_StrictWarningsAreErrors(t *testing.T) {
	for strict, want := range map[bool]validate.Severity{false: validate.SeverityWarning, true: validate.SeverityError} {
		e := &Execution{}
		c := newCollector(e, Config{Stream: validate.Options{Strict: strict}}, nil)
		c.close([]validate.Finding{validate.NewFinding(validate.RuleTampering, 0, "m")})
		if got := c.list()[0].Severity; got != want || (e.Errors == 1) != strict || (c.firstError != nil) != strict {
			t.Errorf("strict %t: severity %s, %d errors, first %v, want %s, counted as such", strict, got, e.Errors, c.firstError, want)
		}
	}
}

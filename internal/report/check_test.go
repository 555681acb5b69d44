package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

func check(t *testing.T, format string, files ...CheckFile) string {
	t.Helper()
	var b strings.Builder
	if err := WriteCheck(&b, format, inMatrix, files); err != nil {
		t.Fatalf("WriteCheck(%s): %v", format, err)
	}
	return b.String()
}

func broken() *runner.Execution {
	e := finished()
	e.Verdict = runner.VerdictViolation
	e.Findings = []validate.Finding{
		{File: "events.jsonl", Line: 3, Column: 7, Rule: "line/json", Severity: validate.SeverityError, Message: "no\x1b[2J JSON", Got: "<x>"},
		{Line: 9, Rule: "flow/ts-backwards", Severity: validate.SeverityInfo, Message: "ts falls"},
	}
	e.FindingCounts, e.Errors = map[string]int{"line/json": 1, "flow/ts-backwards": 5}, 1
	return e
}

func TestWriteCheck_Human(t *testing.T) {
	want := `a.jsonl:3:7: line/json: no JSON
a.jsonl:9: flow/ts-backwards: ts falls (info)
a.jsonl: invalid: 9 events, 1 run, 6 findings (4 not shown)
b.jsonl: valid: 9 events, 1 run, 0 findings
next: openagent explain line/json
`
	got := check(t, "human", NewCheckFile("a.jsonl", broken()), NewCheckFile("b.jsonl", finished()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("WriteCheck (-want +got):\n%s", diff)
	}
}

func TestWriteCheck_JSON(t *testing.T) {
	want := `{
  "schema": "openagent.check.v1",
  "files": [
    {
      "file": "a.jsonl",
      "events": 9,
      "runs": 1,
      "valid": false,
      "findings": [
        {
          "file": "a.jsonl",
          "line": 3,
          "column": 7,
          "rule": "line/json",
          "severity": "error",
          "message": "no\u001b[2J JSON",
          "got": "<x>"
        },
        {
          "file": "a.jsonl",
          "line": 9,
          "rule": "flow/ts-backwards",
          "severity": "info",
          "message": "ts falls"
        }
      ],
      "more": 4,
      "omitted": {
        "flow/ts-backwards": 4
      }
    }
  ]
}
`
	if diff := cmp.Diff(want, check(t, "json", NewCheckFile("a.jsonl", broken()))); diff != "" {
		t.Errorf("WriteCheck (-want +got):\n%s", diff)
	}
}

func TestWriteCheck_JSONHasNoNulls(t *testing.T) {
	for name, out := range map[string]string{
		"no files": check(t, "json"), "no findings": check(t, "json", NewCheckFile("a", finished())),
	} {
		if !json.Valid([]byte(out)) || strings.Contains(out, "null") {
			t.Errorf("WriteCheck with %s = %s, want JSON without null", name, out)
		}
	}
}

func TestWriteCheck_UnknownFormat(t *testing.T) {
	err := WriteCheck(&strings.Builder{}, "xml", Origin{}, nil)
	if want := `unknown format "xml"; known: human, json, sarif, junit`; err == nil || err.Error() != want {
		t.Errorf("WriteCheck(xml) = %v, want %s", err, want)
	}
}

func TestNewCheckFile_Valid(t *testing.T) {
	warned := finished()
	warned.Findings = []validate.Finding{{Severity: validate.SeverityWarning}}
	hidden := finished() // its errors are above the limit of what is kept
	hidden.Errors = 1
	failed := finished()
	failed.Verdict = runner.VerdictFailure
	for name, tt := range map[string]struct {
		e    *runner.Execution
		want bool
	}{
		"clean": {finished(), true}, "warning": {warned, true}, "failed run": {failed, true},
		"error": {broken(), false}, "error above the limit": {hidden, false},
	} {
		if got := NewCheckFile("f", tt.e).Valid; got != tt.want {
			t.Errorf("NewCheckFile of %s: Valid = %v, want %v", name, got, tt.want)
		}
	}
}

func TestNewCheckFile_LeavesExecutionAlone(t *testing.T) {
	e := broken()
	NewCheckFile("other.jsonl", e)
	if got := e.Findings[0].File; got != "events.jsonl" {
		t.Errorf("NewCheckFile changed the execution's file to %q", got)
	}
}

func TestCheckFindings_OfAllFiles(t *testing.T) {
	one, two := validate.Finding{File: "a", Line: 1}, validate.Finding{File: "b", Line: 2}
	all, more := CheckFindings([]CheckFile{{Findings: []validate.Finding{one}, More: 3}, {Findings: []validate.Finding{two}, More: 4}})
	if diff := cmp.Diff([]validate.Finding{one, two}, all); diff != "" || more != 7 {
		t.Errorf("CheckFindings keeps back %d, want 7; findings (-want +got):\n%s", more, diff)
	}
}

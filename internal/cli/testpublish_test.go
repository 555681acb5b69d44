package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

func TestTestVerdict(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	passed, failed := report.Script{Outcome: report.ScriptPassed}, report.Script{Outcome: report.ScriptFailed}
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		scripts []report.Script
		planned int
		err     error
		want    runner.Verdict
	}{
		{"all passed", t.Context(), []report.Script{passed}, 1, nil, runner.VerdictSuccess},
		{"one failed", t.Context(), []report.Script{passed, failed}, 2, nil, runner.VerdictFailure},
		{"one not run", t.Context(), []report.Script{passed}, 2, nil, runner.VerdictFailure},
		{"results not told", t.Context(), []report.Script{passed}, 1, errors.New("x"), runner.VerdictFailure},
		{"interrupted", ended, []report.Script{failed}, 1, nil, runner.VerdictCancelled},
		{"one not begun", ended, []report.Script{passed}, 2, nil, runner.VerdictCancelled},
		{"interrupted after the last", ended, []report.Script{passed}, 1, nil, runner.VerdictSuccess},
	} {
		if got := testVerdict(tt.ctx, report.ScriptTotals{Scripts: tt.scripts}, tt.planned, tt.err); got != tt.want {
			t.Errorf("verdict when %s = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What is kept is kept although nobody takes what is printed.
func TestTest_KeepsWhatCannotBePrinted(t *testing.T) {
	var errs strings.Builder
	p := &program{Process: process.Process{Out: failingWriter{}, Err: &errs}, parts: Parts{Scripts: func() (ScriptRunner, func() error, error) {
		return func(_ context.Context, s Script) report.Script { return passed(s) }, func() error { return nil }, nil
	}}}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txtar")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_ACTIONS", "")
	if got := p.main([]string{"test", "--out", filepath.Join(dir, "out"), file}); got != StatusDelivery {
		t.Errorf("openagent test = %d, %s, want 3", got, &errs)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "out", "summary.md"))
	if err != nil || !strings.Contains(string(summary), "## ❌ openagent test: failure\n") {
		t.Errorf("summary.md = %q, %v, want a failure", summary, err)
	}
}

// results.json has what was planned and what became of it, in the published
// form.
func TestTest_Results(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "")
	outcomes := map[string]string{"a": report.ScriptPassed, "b": report.ScriptFailed, "c": report.ScriptSkipped}
	if err := os.Mkdir("d", 0o700); err != nil {
		t.Fatal(err)
	}
	for name := range outcomes {
		if err := os.WriteFile(filepath.Join("d", name+".txtar"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	p := &program{Process: process.Process{Out: &out, Err: &out}, parts: Parts{Scripts: func() (ScriptRunner, func() error, error) {
		return func(_ context.Context, s Script) report.Script {
			return report.Script{Name: s.Name, File: s.File, Outcome: outcomes[s.Name], Time: 1250 * time.Millisecond}
		}, func() error { return nil }, nil
	}}}
	if got := p.main([]string{"test", "--out", "out", "./d"}); got != StatusFailed {
		t.Fatalf("openagent test = %d, want 1:\n%s", got, &out)
	}
	text, err := os.ReadFile(filepath.Join("out", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.TestResults(text); err != nil {
		t.Errorf("TestResults(results.json) = %v, want the published form", err)
	}
	var got schema.TestResults
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join("d", name) }
	want := schema.TestResults{
		Schema: "openagent.test_results.v1", Tool: schema.Agent{Name: "openagent", Version: Version()},
		Planned: []string{"d/a.txtar", "d/b.txtar", "d/c.txtar"},
		Scenarios: []schema.TestScenario{
			{ID: "d/a.txtar", File: file("a.txtar"), Status: "pass", Attempts: []schema.TestAttempt{{OK: true, MS: 1250}}},
			{ID: "d/b.txtar", File: file("b.txtar"), Status: "fail", Attempts: []schema.TestAttempt{{OK: false, MS: 1250}}},
			{ID: "d/c.txtar", File: file("c.txtar"), Status: "skip", Attempts: []schema.TestAttempt{}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results.json (-want +got):\n%s", diff)
	}
}

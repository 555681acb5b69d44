package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/runner"
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
	p := &process{out: failingWriter{}, err: &errs, parts: Parts{Scripts: func() (ScriptRunner, func() error, error) {
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
	if err != nil || !strings.Contains(string(summary), "## openagent test: failure\n") {
		t.Errorf("summary.md = %q, %v, want a failure", summary, err)
	}
}

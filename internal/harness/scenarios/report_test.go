package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

func TestVerdict(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	passed, failed := scenarioresult.Script{Outcome: scenarioresult.Passed}, scenarioresult.Script{Outcome: scenarioresult.Failed}
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		scripts []scenarioresult.Script
		planned int
		err     error
		want    runner.Verdict
	}{
		{"all passed", t.Context(), []scenarioresult.Script{passed}, 1, nil, runner.VerdictSuccess},
		{"one failed", t.Context(), []scenarioresult.Script{passed, failed}, 2, nil, runner.VerdictFailure},
		{"one not run", t.Context(), []scenarioresult.Script{passed}, 2, nil, runner.VerdictFailure},
		{"results not told", t.Context(), []scenarioresult.Script{passed}, 1, errors.New("x"), runner.VerdictFailure},
		{"interrupted", ended, []scenarioresult.Script{failed}, 1, nil, runner.VerdictCancelled},
		{"one not begun", ended, []scenarioresult.Script{passed}, 2, nil, runner.VerdictCancelled},
		{"interrupted after the last", ended, []scenarioresult.Script{passed}, 1, nil, runner.VerdictSuccess},
	} {
		if got := verdict(tt.ctx, scenarioresult.Totals{Scripts: tt.scripts}, tt.planned, tt.err); got != tt.want {
			t.Errorf("verdict when %s = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// run runs scripts of these names, each with its outcome, outside of a
// job.
func run(t *testing.T, out io.Writer, dir string, outcomes map[string]string) (*Result, error) {
	t.Helper()
	t.Setenv("GITHUB_ACTIONS", "")
	var scripts []Script
	for name := range outcomes {
		scripts = append(scripts, Script{Name: name, ID: "d/" + name + ".txtar", File: filepath.Join(".", "d", name+".txtar")})
	}
	slices.SortFunc(scripts, func(a, b Script) int { return strings.Compare(a.Name, b.Name) })
	run := func(_ context.Context, s Script) scenarioresult.Script {
		return scenarioresult.Script{Name: s.Name, File: s.File, Outcome: outcomes[s.Name], Time: 1250 * time.Millisecond}
	}
	return Run(t.Context(), &process.Process{Out: out, Err: io.Discard}, &Plan{Scripts: scripts}, Options{
		Prepare: func() (Runner, func() error, error) { return run, func() error { return nil }, nil },
		Jobs:    2, Form: scenarioresult.Forms()[0], Version: "v1", Outcome: harness.Outcome{Dir: dir},
	})
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("pipe is gone") }

// What is written is written although nobody reads what is printed.
func TestRun_WritesWhatCannotBePrinted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	result, err := run(t, failingWriter{}, dir, map[string]string{"a": scenarioresult.Passed})
	if err == nil || !strings.Contains(err.Error(), "print results: pipe is gone") || result == nil || result.Verdict != runner.VerdictFailure {
		t.Errorf("Run = %+v, %v, want a failure and why", result, err)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary.md"))
	if err != nil || !strings.Contains(string(summary), "## ❌ openagent test: failure\n") {
		t.Errorf("summary.md = %q, %v, want a failure", summary, err)
	}
}

// results.json has what was planned and what became of it, in the published
// form.
func TestRun_Results(t *testing.T) {
	t.Chdir(t.TempDir())
	outcomes := map[string]string{"a": scenarioresult.Passed, "b": scenarioresult.Failed, "c": scenarioresult.Skipped}
	if result, err := run(t, io.Discard, "out", outcomes); err != nil || result.Verdict != runner.VerdictFailure || result.Missing != 0 {
		t.Fatalf("Run = %+v, %v, want a failure", result, err)
	}
	text, err := os.ReadFile(filepath.Join("out", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.CheckDocument(schema.TestResultsVersion, text); err != nil {
		t.Errorf("TestResults(results.json) = %v, want the published form", err)
	}
	var got schema.TestResults
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join("d", name) }
	want := schema.TestResults{
		Schema: "openagent.test_results.v1", Tool: schema.Agent{Name: "openagent", Version: "v1"},
		Planned: []string{"d/a.txtar", "d/b.txtar", "d/c.txtar"},
		Scenarios: []schema.TestScenario{
			{ID: "d/a.txtar", File: file("a.txtar"), Status: "pass", Attempts: []schema.TestAttempt{{OK: true, MS: 1250}}},
			{ID: "d/b.txtar", File: file("b.txtar"), Status: "fail", Attempts: []schema.TestAttempt{{OK: false, MS: 1250}}},
			{ID: "d/c.txtar", File: file("c.txtar"), Status: "skip", Attempts: []schema.TestAttempt{}},
		},
	}
	if got.Started == nil || time.Since(*got.Started) > time.Hour || time.Since(*got.Started) < 0 {
		t.Errorf("results started at %v, want a moment ago", got.Started)
	}
	got.Started = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results.json (-want +got):\n%s", diff)
	}
}

// On a terminal a line tells how far the scripts are, and goes before a result
// comes.
func TestOutput_Progress(t *testing.T) {
	var out, screen bytes.Buffer
	o := newOutput(&process.Process{Out: &out, Err: &bytes.Buffer{}}, scenarioresult.Forms()[0], 2)
	o.terminal = &screen
	o.begin("a")
	o.begin("b\x1b[2J")
	o.add(1, "b\x1b[2J", scenarioresult.Script{Name: "b\x1b[2J", Outcome: scenarioresult.Passed})
	o.add(0, "a", scenarioresult.Script{Name: "a", Outcome: scenarioresult.Passed})
	want := "0/2 running a\r\x1b[K0/2 running a, b\r\x1b[K1/2 running a\r\x1b[K"
	if got := screen.String(); got != want {
		t.Errorf("progress = %q, want %q", got, want)
	}
	if got := out.String(); got != "ok    a  0.00s\nok    b  0.00s\n" {
		t.Errorf("results = %q, want both in order", got)
	}
}

// quiet is a process that prints nowhere.
func quiet() *process.Process { return &process.Process{Out: io.Discard, Err: io.Discard} }

func outDir(dir string) harness.Outcome { return harness.Outcome{Dir: dir} }

// A sum of which one part is not known is not known, whichever part that is.
func TestSpend(t *testing.T) {
	five := schema.TestFigures{Tokens: new(int64(5)), CostUSD: new(0.5)}
	none := schema.TestFigures{}
	for _, tt := range []struct {
		parts []schema.TestFigures
		want  schema.TestFigures
	}{
		{[]schema.TestFigures{five, five}, schema.TestFigures{Tokens: new(int64(10)), CostUSD: new(1.0)}},
		{[]schema.TestFigures{five, none, five}, none},
		{[]schema.TestFigures{none, five}, none},
	} {
		var got schema.TestFigures
		for i, part := range tt.parts {
			Spend(&got, i, part)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Spend of %d parts (-want +got):\n%s", len(tt.parts), diff)
		}
	}
}

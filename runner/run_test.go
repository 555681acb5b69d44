package runner_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// recorder is a Handler that keeps what it gets.
type recorder struct {
	stdout, stderr bytes.Buffer
	lines          []runner.Line
	onLine         func(runner.Line)
}

func (r *recorder) Line(l runner.Line) {
	r.stdout.Write(l.Raw)
	l.Raw = nil
	r.lines = append(r.lines, l)
	if r.onLine != nil {
		r.onLine(l)
	}
}

func (r *recorder) Stderr(b []byte) { r.stderr.Write(b) }

// agent returns a config in which the test binary plays the agent name.
func agent(t *testing.T, name string) runner.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{roleVar + "=" + name, quickEnd}
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		env = append(env, "SYSTEMROOT="+root)
	}
	return runner.Config{Command: []string{self}, Env: env, File: "events.jsonl"}
}

// outcome is the part of an execution that most tests compare.
type outcome struct {
	Verdict runner.Verdict
	Reason  string
	Status  int // -1 for none
	Counts  map[string]int
}

func outcomeOf(e *runner.Execution) outcome {
	o := outcome{Verdict: e.Verdict, Reason: e.Reason, Status: -1, Counts: e.FindingCounts}
	if e.ExitStatus != nil {
		o.Status = *e.ExitStatus
	}
	return o
}

func TestRun_Verdicts(t *testing.T) {
	for name, want := range map[string]outcome{
		"clean": {
			Verdict: runner.VerdictSuccess, Status: 0,
			Reason: "the agent reported success and its event stream is valid",
			Counts: map[string]int{},
		},
		"nothing": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "1 error in the stream as a whole: stream/terminal-missing",
			Counts: map[string]int{"stream/terminal-missing": 1},
		},
		"usage": {
			Verdict: runner.VerdictCrash, Status: 2,
			Reason: "the agent exited with status 2 and without a valid run_finished",
			Counts: map[string]int{"stream/terminal-missing": 1},
		},
		"garbage": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "1 error in line 1: line/json",
			Counts: map[string]int{"line/json": 1},
		},
		"twice": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "1 error in line 3: stream/terminal-duplicate",
			Counts: map[string]int{"stream/terminal-duplicate": 1},
		},
		"preRun": {
			Verdict: runner.VerdictPreRunError, Status: 1,
			Reason: "the agent failed before its run began: read policy: no such file",
			Counts: map[string]int{},
		},
		"preRun0": {
			Verdict: runner.VerdictPreRunError, Status: 0,
			Reason: "the agent failed before its run began: read policy: no such file",
			Counts: map[string]int{"run/exit-status": 1},
		},
		"failure": {
			Verdict: runner.VerdictFailure, Status: 1,
			Reason: "the run failed: max_steps: the limit of 3 steps is reached",
			Counts: map[string]int{},
		},
		"falseOK": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "1 error in the stream as a whole: run/exit-status",
			Counts: map[string]int{"run/exit-status": 1},
		},
		"okFails": {
			Verdict: runner.VerdictViolation, Status: 3,
			Reason: "1 error in the stream as a whole: run/exit-status",
			Counts: map[string]int{"run/exit-status": 1},
		},
		"dies": {
			Verdict: runner.VerdictCrash, Status: 9,
			Reason: "the agent exited with status 9 and without a valid run_finished",
			Counts: map[string]int{"stream/terminal-missing": 1},
		},
		"torn": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "2 errors, the first in line 2: line/json",
			Counts: map[string]int{"line/json": 1, "stream/terminal-missing": 1},
		},
		"tornDies": {
			Verdict: runner.VerdictCrash, Status: 1,
			Reason: "the agent exited with status 1 and without a valid run_finished",
			Counts: map[string]int{"line/json": 1, "stream/terminal-missing": 1},
		},
		"broken": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "1 error in line 2: schema/data",
			Counts: map[string]int{"schema/data": 1},
		},
		"longLine": {
			Verdict: runner.VerdictViolation, Status: 0,
			Reason: "1 error in line 1: line/too-long",
			Counts: map[string]int{"line/too-long": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := outcomeOf(runner.Run(context.Background(), agent(t, name)))
			if strings.HasPrefix(got.Reason, want.Reason+": ") && want.Verdict == runner.VerdictViolation {
				got.Reason = want.Reason // the message behind it is the rule's own
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Run(%s) (-want +got):\n%s", name, diff)
			}
		})
	}
}

func TestRun_Facts(t *testing.T) {
	rec := &recorder{}
	cfg := agent(t, "clean")
	cfg.Handler = rec
	e := runner.Run(context.Background(), cfg)
	if diff := cmp.Diff(string(clean()), rec.stdout.String()); diff != "" {
		t.Errorf("lines handed over (-want +got):\n%s", diff)
	}
	if got, want := rec.stderr.String(), "a warning"; got != want {
		t.Errorf("stderr = %q, want %q", got, want)
	}
	if e.Events != 2 || e.Bytes != int64(len(clean())) || e.Runs != 1 || e.RunID != "r1" {
		t.Errorf("Run: %d events, %d bytes, %d runs, run id %q, want 2, %d, 1, r1", e.Events, e.Bytes, e.Runs, e.RunID, len(clean()))
	}
	if e.RunStarted == nil || e.RunStarted.Agent.Name != "fake" {
		t.Errorf("Run: run_started is %+v, want agent fake", e.RunStarted)
	}
	if e.RunFinished == nil || e.RunFinished.FinalOutput != "done" {
		t.Errorf("Run: run_finished is %+v, want output done", e.RunFinished)
	}
	if e.Ended.Before(e.Started) || e.Started.IsZero() {
		t.Errorf("Run: started %v, ended %v, want them in order", e.Started, e.Ended)
	}
}

func TestRun_EnvironmentIsGiven(t *testing.T) {
	t.Setenv("RUNNER_TEST_LEAK", "sk-test-leak")
	rec := &recorder{}
	cfg := agent(t, "environ")
	cfg.Handler = rec
	runner.Run(context.Background(), cfg)
	if got := rec.stderr.String(); strings.Contains(got, "RUNNER_TEST_LEAK") || !strings.Contains(got, roleVar) {
		t.Errorf("environment of the agent = %q, want only what the config names", got)
	}
}

// A caller may start the agent in its own way; that it could not is the reason.
func TestRun_StartIsTheCallers(t *testing.T) {
	cfg, rec := agent(t, "environ"), &recorder{}
	cfg.Handler = rec
	cfg.Start = func(c proc.Command) (*proc.Process, error) {
		c.Env = append(c.Env, "RUNNER_TEST_STARTED=1")
		return proc.Start(c)
	}
	runner.Run(context.Background(), cfg)
	if got := rec.stderr.String(); !strings.Contains(got, "RUNNER_TEST_STARTED") {
		t.Errorf("environment of the agent = %q, want what its start added", got)
	}
	cfg.Start = func(proc.Command) (*proc.Process, error) { return nil, errors.New("no wall") }
	if e := runner.Run(context.Background(), cfg); e.Verdict != runner.VerdictPreRunError || !strings.Contains(e.StartError, "no wall") {
		t.Errorf("verdict %s, start error %q, want pre_run_error and why", e.Verdict, e.StartError)
	}
}

func TestRun_SecretInLine(t *testing.T) {
	rec := &recorder{}
	cfg := agent(t, "secret")
	cfg.Handler, cfg.Secrets = rec, []string{secret}
	e := runner.Run(context.Background(), cfg)
	if e.Verdict != runner.VerdictViolation || e.SecretLines != 1 || e.FindingCounts["run/secret"] != 1 {
		t.Errorf("Run: %s, %d lines with a secret, findings %v, want a violation with one", e.Verdict, e.SecretLines, e.FindingCounts)
	}
	if got := e.RunFinished.FinalOutput; got != "the key is "+redact.Mask {
		t.Errorf("final output = %q, want the secret replaced", got)
	}
	if got := rec.stdout.String(); strings.Contains(got, secret) {
		t.Errorf("lines handed over = %q, want the secret replaced", got)
	}
	last := rec.lines[len(rec.lines)-1]
	if len(last.Findings) != 1 || last.Findings[0].Rule != "run/secret" || last.Findings[0].Line != 2 {
		t.Errorf("findings of the last line = %v, want run/secret in line 2", last.Findings)
	}
}

func TestRun_StreamCap(t *testing.T) {
	rec := &recorder{}
	cfg := agent(t, "flood")
	cfg.Handler, cfg.MaxStream, cfg.MaxFindings = rec, 1000, 7
	e := runner.Run(context.Background(), cfg)
	if !e.Capped || e.FindingCounts["run/stream-cap"] != 1 || e.Verdict != runner.VerdictViolation {
		t.Errorf("Run: capped %v, %s, findings %v, want one run/stream-cap", e.Capped, e.Verdict, e.FindingCounts)
	}
	if got := rec.stdout.Len(); int64(got) != e.Bytes || got > 1000 || got < 990 {
		t.Errorf("%d bytes handed over, %d counted, want nearly 1000", got, e.Bytes)
	}
	if len(e.Findings) != 7 || e.Findings[6].Rule != "run/stream-cap" {
		t.Errorf("%d findings, the last %v, want 7, the last run/stream-cap", len(e.Findings), e.Findings[len(e.Findings)-1])
	}
	if e.FindingCounts["stream/terminal-missing"] != 0 {
		t.Errorf("findings %v, want nothing about an end that was not read", e.FindingCounts)
	}
}

// A stream of just the size of the cap is whole.
func TestScan_StreamOfTheCap(t *testing.T) {
	for cap, capped := range map[int]bool{len(clean()): false, len(clean()) - 1: true} {
		e, err := runner.Scan(context.Background(), bytes.NewReader(clean()), runner.Config{MaxStream: int64(cap)})
		if err != nil || e.Capped != capped || (e.Verdict == runner.VerdictSuccess) == capped {
			t.Errorf("Scan of %d bytes with a cap of %d: capped %t, %s, %v, want %t", len(clean()), cap, e.Capped, e.Verdict, err, capped)
		}
	}
}

func TestRun_FindingsAreNamedAndBounded(t *testing.T) {
	cfg := agent(t, "flood")
	cfg.MaxStream = 200_000
	e := runner.Run(context.Background(), cfg)
	if len(e.Findings) != runner.DefaultMaxFindings || e.FindingCounts["line/json"] < 90_000 || e.Errors < 90_000 {
		t.Errorf("Run: %d findings, %v, %d errors, want 100 kept and all counted", len(e.Findings), e.FindingCounts, e.Errors)
	}
	want := validate.Finding{File: "events.jsonl", Line: 2, Rule: "line/json", Severity: validate.SeverityError}
	got := e.Findings[0]
	if got.File != want.File || got.Line != want.Line || got.Rule != want.Rule || got.Severity != want.Severity {
		t.Errorf("first finding = %v, want %v", got, want)
	}
}

func TestRun_LongLineIsCut(t *testing.T) {
	rec := &recorder{}
	cfg := agent(t, "longLine")
	cfg.Handler, cfg.Stream.MaxLine = rec, 1000
	e := runner.Run(context.Background(), cfg)
	want := strings.Repeat("x", 1001) + "\n" + string(clean())
	if diff := cmp.Diff(want, rec.stdout.String()); diff != "" {
		t.Errorf("lines handed over (-want +got):\n%s", diff)
	}
	if !rec.lines[0].Cut || rec.lines[1].Cut {
		t.Errorf("cut lines: %v, %v, want the first only", rec.lines[0].Cut, rec.lines[1].Cut)
	}
	if want := int64(100<<20 + 1 + len(clean())); e.Bytes != want {
		t.Errorf("Run: %d bytes, want %d", e.Bytes, want)
	}
}

func TestRun_CannotStart(t *testing.T) {
	dir := t.TempDir()
	script := dir + "/script"
	if err := os.WriteFile(script, []byte("echo no interpreter named\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cfg  runner.Config
		want string
	}{
		"no command":      {runner.Config{}, "the command is empty"},
		"not in PATH":     {runner.Config{Command: []string{"openagent-none"}}, "openagent-none"},
		"no such file":    {runner.Config{Command: []string{"./none"}, Dir: dir}, dir},
		"no such folder":  {runner.Config{Command: agent(t, "clean").Command, Dir: dir + "/none"}, dir + "/none"},
		"not executable":  {runner.Config{Command: []string{dir}}, dir},
		"no known format": {runner.Config{Command: []string{"./script"}, Dir: dir}, "script"},
	} {
		t.Run(name, func(t *testing.T) {
			e := runner.Run(context.Background(), tt.cfg)
			if e.Verdict != runner.VerdictPreRunError || !strings.Contains(e.StartError, tt.want) || !strings.Contains(e.Reason, tt.want) {
				t.Errorf("Run = %s, %q, %q, want pre_run_error naming %q", e.Verdict, e.StartError, e.Reason, tt.want)
			}
			if len(e.Findings) > 0 || e.ExitStatus != nil || e.Ended.IsZero() {
				t.Errorf("Run = %+v, want no findings, no status and an end", e)
			}
		})
	}
}

func TestRun_CancelledBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := runner.Run(ctx, agent(t, "clean"))
	if e.Verdict != runner.VerdictCancelled || e.Events != 0 || e.StartError == "" {
		t.Errorf("Run = %s, %d events, start error %q, want cancelled and not started", e.Verdict, e.Events, e.StartError)
	}
}

// Findings of the caller's own make a clean run a violation, and are not asked
// for when nothing was started.
func TestRun_FurtherFindingsCount(t *testing.T) {
	cfg := agent(t, "clean")
	asked := 0
	cfg.Further = func(e *runner.Execution) []validate.Finding {
		asked++
		if !e.Finished() || e.Verdict != "" {
			t.Errorf("the execution has the end %v and the verdict %q, want the first alone", e.RunFinished, e.Verdict)
		}
		return []validate.Finding{validate.NewFinding(validate.RuleGolden, 2, "differs")}
	}
	e := runner.Run(context.Background(), cfg)
	want := outcome{
		Verdict: runner.VerdictViolation, Reason: "1 error in line 2: run/golden: differs", Counts: map[string]int{validate.RuleGolden: 1},
	}
	if diff := cmp.Diff(want, outcomeOf(e)); diff != "" || len(e.Findings) != 1 || e.Findings[0].File != "events.jsonl" {
		t.Errorf("Run with a further finding: %v (-want +got):\n%s", e.Findings, diff)
	}
	cfg.Command = []string{"no-such-agent"}
	if runner.Run(context.Background(), cfg); asked != 1 {
		t.Errorf("asked %d times for further findings, want once", asked)
	}
}

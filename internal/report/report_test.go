package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

var start = time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// finished is an execution that ended well.
func finished() *runner.Execution {
	return &runner.Execution{
		Verdict: runner.VerdictSuccess, Reason: "the agent reported success",
		Started: start, Ended: start.Add(4200 * time.Millisecond), ExitStatus: ptr(0),
		Events: 9, Runs: 1, Steps: 3, ToolCalls: 5, Executed: 4, Denied: 1, Failed: 2, RunID: "r1",
		RunStarted: &schema.RunStarted{Agent: &schema.Agent{Name: "openagent", Version: "1.0"}, Model: schema.Some("m")},
		RunFinished: &schema.RunFinished{ExitReason: "ok", OK: true, FinalOutput: "done",
			Usage: schema.Some(schema.Usage{InputTokens: ptr(int64(1204)), OutputTokens: ptr(int64(310))})},
	}
}

func gap(line int) validate.Finding {
	return validate.Finding{File: "events.jsonl", Line: line, Rule: "stream/sequence-gap",
		Severity: validate.SeverityError, Message: "sequence is 9, want 8"}
}

func TestVerdict_Success(t *testing.T) {
	want := term.Verdict{
		Name: "success", Reason: "the agent reported success",
		Rows: []term.Row{
			{Name: "exit reason", Value: "ok"}, {Name: "exit status", Value: "0"},
			{Name: "steps", Value: "3"}, {Name: "tool calls", Value: "5 (1 denied, 2 failed)"},
			{Name: "tokens", Value: "1204 in, 310 out"}, {Name: "time", Value: "4.2s"},
			{Name: "findings", Value: "none"}, {Name: "evidence", Value: "out"},
		},
		Next: []string{"openagent show out"},
	}
	if diff := cmp.Diff(want, Verdict(finished(), "out")); diff != "" {
		t.Errorf("Verdict (-want +got):\n%s", diff)
	}
}

func TestVerdict_NothingCame(t *testing.T) {
	e := &runner.Execution{Verdict: runner.VerdictPreRunError, StartError: "no such file"}
	rows := map[string]string{}
	for _, r := range Verdict(e, "").Rows {
		rows[r.Name] = r.Value
	}
	want := map[string]string{
		"exit reason": "none, the stream has no run_finished", "exit status": "not started",
		"steps": "0", "tool calls": "0", "tokens": "not reported", "time": "0s", "findings": "none",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("Verdict rows (-want +got):\n%s", diff)
	}
	cut := &runner.Execution{Verdict: runner.VerdictCrash, Steps: 1}
	if got := Verdict(cut, "").Rows; !slices.Contains(got, term.Row{Name: "time", Value: "not known"}) {
		t.Errorf("Verdict rows of a saved stream that was cut = %v, want its time not known", got)
	}
}

func TestVerdict_ProcessesLeftBehind(t *testing.T) {
	for swept, want := range map[int]string{1: "1 process, killed", 3: "3 processes, killed"} {
		e := finished()
		e.Swept = swept
		if rows := Verdict(e, "").Rows; !slices.Contains(rows, term.Row{Name: "left behind", Value: want}) {
			t.Errorf("Verdict of a run that left %d processes has the rows %v, want one with %q", swept, rows, want)
		}
	}
}

func TestVerdict_Findings(t *testing.T) {
	e := finished()
	for i := range 7 {
		e.Findings = append(e.Findings, gap(i+1))
	}
	e.FindingCounts = map[string]int{"line/json": 7, "stream/sequence-gap": 20, "line/blank": 7}
	v := Verdict(e, "")
	if len(v.Findings) != maxListed || v.More != 34-maxListed {
		t.Errorf("Verdict lists %d findings and %d more, want %d and %d", len(v.Findings), v.More, maxListed, 34-maxListed)
	}
	const want = "34: stream/sequence-gap 20, line/blank 7, line/json 7"
	if got := findings(e); got != want {
		t.Errorf("findings = %q, want %q", got, want)
	}
}

func TestExitStatus(t *testing.T) {
	tests := []struct {
		e    runner.Execution
		want string
	}{
		{runner.Execution{ExitStatus: ptr(2)}, "2"},
		{runner.Execution{Signal: "SIGKILL"}, "ended by SIGKILL"},
		{runner.Execution{StartError: "x"}, "not started"},
		{runner.Execution{}, "unknown"},
	}
	for _, tt := range tests {
		if got := exitStatus(&tt.e); got != tt.want {
			t.Errorf("exitStatus(%+v) = %q, want %q", tt.e, got, tt.want)
		}
	}
}

func TestTokens(t *testing.T) {
	tests := []struct {
		usage schema.Optional[schema.Usage]
		want  string
	}{
		{schema.Optional[schema.Usage]{}, "not reported"},
		{schema.Null[schema.Usage](), "not reported"},
		{schema.Some(schema.Usage{}), "not reported"},
		{schema.Some(schema.Usage{OutputTokens: ptr(int64(7))}), "? in, 7 out"},
	}
	for _, tt := range tests {
		e := runner.Execution{RunFinished: &schema.RunFinished{Usage: tt.usage}}
		if got := tokens(&e); got != tt.want {
			t.Errorf("tokens(%+v) = %q, want %q", tt.usage, got, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		12345 * time.Microsecond:             "12ms",
		61*time.Second + 49*time.Millisecond: "1m1s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %q, want %q", d, got, want)
		}
	}
}

func render(t *testing.T, s Summary) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSummary(&b, s); err != nil {
		t.Fatalf("WriteSummary: %v", err)
	}
	return b.String()
}

// What shows only some findings shows errors.
func TestVerdict_ErrorsBeforeWarnings(t *testing.T) {
	e := finished()
	for line := range 2 * MaxSummaryItems {
		e.Findings = append(e.Findings, validate.Finding{Line: line + 1, Rule: "flow/step-backwards", Severity: validate.SeverityWarning})
	}
	e.Findings = append(e.Findings, gap(99))
	if got := Verdict(e, "").Findings; len(got) != maxListed || !strings.Contains(got[0], "sequence is 9") {
		t.Errorf("Verdict lists %q, want the error first", got)
	}
	var b strings.Builder
	if err := WriteSummary(&b, Summary{Exec: e}); err != nil || !strings.Contains(b.String(), "sequence is 9") {
		t.Errorf("WriteSummary: %v, without the error: %s", err, &b)
	}
}

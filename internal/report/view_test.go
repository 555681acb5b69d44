package report

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/report/transcript"
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

var update = flag.Bool("update", false, "write testdata anew")

// turns are a run with a call that failed, one that was denied and one that went well.
func turns(t *testing.T) *transcript.Run {
	t.Helper()
	r := transcript.New(1 << 20)
	for i, line := range strings.Split(strings.TrimSpace(`
run_started {"agent":{"name":"openagent","version":"1.0"},"model":"m"}
step_started {}
tool_call_detected {"tool_call_id":"a","tool":"execute_command","arguments_preview":"{\"command\":\"make test\"}","text_preview":"I run the tests.","text_bytes":16}
tool_exec_started {"tool_call_id":"a","tool":"execute_command"}
tool_exec_finished {"tool_call_id":"a","tool":"execute_command","ok":false,"content_preview":"FAIL one","truncated":false,"original_bytes":null,"exit_status":2,"duration_ms":1200}
tool_call_detected {"tool_call_id":"b","tool":"git_commit","arguments_preview":"{\"message\":\"wip\"}"}
tool_decision {"tool_call_id":"b","tool":"git_commit","decision":"deny","reason":"not in a pull request","source":"policy"}
step_started {}
tool_call_detected {"tool_call_id":"c","tool":"edit_file","arguments_preview":"{\"path\":\"a.go\",\"old_text\":\"x\",\"new_text\":\"y\"}","text_preview":"Two lines\nof text.","text_bytes":18}
tool_exec_started {"tool_call_id":"c","tool":"edit_file"}
tool_exec_finished {"tool_call_id":"c","tool":"edit_file","ok":true,"content_preview":"edited a.go","truncated":false,"original_bytes":null,"duration_ms":3}
run_finished {"exit_reason":"blocked","ok":false,"final_output":"done","error":"the disk melted","duration_ms":4200,"usage":{"input_tokens":1204,"output_tokens":310,"total_tokens":null,"cached_input_tokens":null,"cost_usd":0.05}}`), "\n") {
		typ, data, _ := strings.Cut(line, " ")
		step := max(0, i/7) + min(1, i)
		raw := fmt.Sprintf(`{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12Z","run_id":"r1","step":%d,"type":%q,"data":%s}`, i+1, min(step, 2), typ, data)
		e, err := schema.Decode([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		r.Add(&e)
	}
	return r
}

// shown returns the view of a run that failed, with all that a view can have.
func shown(t *testing.T) View {
	t.Helper()
	e := broken()
	e.Verdict, e.Reason = runner.VerdictFailure, "2 findings"
	v := NewView(e, turns(t))
	v.Fix, v.Answer = "print JSON", "a\n```\n[x](http://x.test)\n"
	v.About = About{Prompt: "  fix it\n" + strings.Repeat("ä", 200), Script: "s.yaml", Command: []string{"agent", "a b"}, Dir: "/w", Upload: Upload{Run: "7", Artifact: "openagent-a b"}}
	v.Facts = append(v.Facts, term.Row{Name: "evidence", Value: "out/x"})
	v.Next = []string{"openagent show out/x"}
	return v
}

// The views of a run, as they are written.
func TestView_Written(t *testing.T) {
	v := shown(t)
	terminal := func(blocks []document.Block) string {
		var b strings.Builder
		_ = document.Terminal(&b, 0, false, blocks...) // to memory: never fails
		return b.String()
	}
	for file, got := range map[string]string{
		"page.html": document.HTML(slices.Concat(v.Page())...), "summary.md": document.Markdown(v.Summary()...), "comment.md": document.Markdown(v.Comment("https://example.test/runs/7", 1000)...),
		"verdict.txt": terminal(v.Terminal()), "show.txt": terminal(v.Saved()),
	} {
		if *update {
			if err := os.WriteFile("testdata/"+file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// A summary names missing evidence first, with any verdict.
func TestView_EvidenceIsNotComplete(t *testing.T) {
	ran := finished()
	ran.Command = []string{"agent"} // what no command printed took no time that is known
	v := NewView(ran, transcript.New(0))
	v.Lost = []string{"write stderr.log: disk full"}
	got := document.Markdown(v.Summary()...)
	if !strings.HasPrefix(got, "## ❌ openagent: success, evidence not complete · 4.2 s\n\n**The evidence is not complete:** write stderr.log: disk full\n") {
		t.Errorf("summary = %s\nwant what is missing first", got)
	}
}

// The agent's error stands next to a verdict whose reason does not have it.
func TestView_AgentsError(t *testing.T) {
	for _, c := range []struct{ error, reason, want string }{
		{"the disk\nmelted\tx", "1 error in line 3", "the disk melted x"},
		{"the disk melted", "the run failed: the disk melted", ""},
		{" ", "1 error", ""},
	} {
		e := finished()
		e.Verdict, e.Reason = runner.VerdictFailure, c.reason
		r := transcript.New(0)
		r.Add(&schema.Event{Data: &schema.RunFinished{ExitReason: "x", Error: &c.error}})
		if got := NewView(e, r).unsaid(); got != c.want {
			t.Errorf("the error %q next to the reason %q is shown as %q, want %q", c.error, c.reason, got, c.want)
		}
	}
}

// A summary without anything to show has no empty section; a success needs no reason.
func TestView_NothingToShow(t *testing.T) {
	e := &runner.Execution{Verdict: runner.VerdictSuccess, Reason: "it went well", RunFinished: &schema.RunFinished{ExitReason: "ok"}, ExitStatus: ptr(0)}
	v := NewView(e, transcript.New(0))
	v.Answer = " \n\x1b[0m"
	want := "## ✅ openagent: success\n\n<details><summary>Environment</summary>\n\n|  |  |\n| --- | --- |\n| exit reason | ok |\n| exit status | 0 |\n\n</details>\n\n"
	if diff := cmp.Diff(want, document.Markdown(v.Summary()...)); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// However long a run is, the job page can show its summary: the last turns, and the
// first findings, errors before warnings.
func TestView_SummaryIsBounded(t *testing.T) {
	r := transcript.New(100 << 10)
	text := strings.Repeat("`*x\n", 30)
	for i := range int64(1000) {
		r.Add(&schema.Event{Step: i + 1, Data: &schema.StepStarted{}})
		r.Add(&schema.Event{Step: i + 1, Data: &schema.ToolCallDetected{ToolCallID: ptr("a"), Tool: ptr("t"), TextPreview: schema.Some(fmt.Sprintf("text %d", i))}})
		r.Add(&schema.Event{Step: i + 1, Data: &schema.ToolExecFinished{ToolCallID: ptr("a"), OK: ptr(false), ContentPreview: &text}})
	}
	e := finished()
	for line := range 2 * MaxSummaryItems {
		e.Findings = append(e.Findings, validate.Finding{Line: line + 1, Rule: "flow/step-backwards", Severity: validate.SeverityWarning, Message: text})
	}
	e.Findings = append(e.Findings, gap(99))
	e.FindingCounts = map[string]int{"stream/sequence-gap": 200}
	v := NewView(e, r)
	v.Answer = strings.Repeat("`", 2<<20)
	got := document.Markdown(v.Summary()...)
	if len(got) > 900<<10 {
		t.Errorf("the summary has %d bytes", len(got))
	}
	for _, want := range []string{"These are the first 65536 of 2097152 bytes; final_output.md has the rest.", "text 999", "| error | 99 | stream/sequence-gap", "and 150 more in findings.json"} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary lacks %q", want)
		}
	}
	shown := strings.Count(got, "<details open><summary>Turn ")
	if want := fmt.Sprintf("The first turns (%d) are left out; events.jsonl has them.", 1000-shown); !strings.Contains(got, want) {
		t.Errorf("the summary has %d turns and lacks %q", shown, want)
	}
	if strings.Contains(got, "text 500") {
		t.Error("the summary has more turns than the last ones")
	}
}

// What ended without saying why shows the end of its stderr, and only then.
func TestLastWords(t *testing.T) {
	stderr := strings.Repeat("early\n", 9) + strings.Repeat("late\n", MaxStderr-1) + strings.Repeat("x", 3000) + "\n\n"
	for v, want := range map[runner.Verdict]int{
		runner.VerdictCrash: MaxStderr, runner.VerdictPreRunError: MaxStderr, runner.VerdictTimeout: MaxStderr, runner.VerdictCancelled: MaxStderr,
		runner.VerdictFailure: 0, runner.VerdictViolation: 0, runner.VerdictSuccess: 0,
	} {
		got := LastWords(v, stderr, MaxStderr)
		if len(got) != want || want > 0 && (got[0] != "late" || len(got[want-1]) > 500) {
			t.Errorf("LastWords of %s = %d lines, want %d", v, len(got), want)
		}
	}
	if got := LastWords(runner.VerdictCrash, "\n \n", 3); len(got) > 0 {
		t.Errorf("LastWords of an agent that said nothing = %q", got)
	}
}

func TestFindings_MostFrequentFirst(t *testing.T) {
	const want = "34: stream/sequence-gap 20, line/blank 7, line/json 7"
	if got := findings(map[string]int{"line/json": 7, "stream/sequence-gap": 20, "line/blank": 7}); got != want {
		t.Errorf("findings = %q, want %q", got, want)
	}
}

func TestSwept(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "1 process, killed", 3: "3 processes, killed"} {
		if got := swept(n); got != want {
			t.Errorf("swept(%d) = %q, want %q", n, got, want)
		}
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
		{runner.Execution{}, ""},
	}
	for _, tt := range tests {
		if got := exitStatus(tt.e.StartError, tt.e.Signal, tt.e.ExitStatus); got != tt.want {
			t.Errorf("exitStatus(%+v) = %q, want %q", tt.e, got, tt.want)
		}
	}
}

// Evidence that is not uploaded is not offered.
func TestUpload_Fetch(t *testing.T) {
	for u, want := range map[Upload]string{
		{"7", "a"}: "gh run download 7 -n a", {"7", "a b"}: "gh run download 7 -n 'a b'", {"7", ""}: "", {"", "a"}: "",
	} {
		if got := u.Fetch(); got != want || (u.Rows() == nil) != (want == "") {
			t.Errorf("%+v.Fetch = %q with the rows %v, want %q", u, got, u.Rows(), want)
		}
	}
}

func TestUnfinished(t *testing.T) {
	over := runner.Span{Name: "step 1", Step: 1, Start: start, End: start}
	for name, tt := range map[string]struct {
		spans []runner.Span
		want  string
	}{
		"nothing":   {nil, ""},
		"all ended": {[]runner.Span{over}, ""},
		"a step":    {[]runner.Span{over, {Name: "step 2", Step: 2}, over}, "step 2"},
		"a tool":    {[]runner.Span{over, {Name: "step 2", Step: 2}, {Name: "sh", Tool: true, Step: 2}}, "step 2, tool sh"},
		"not known": {make([]runner.Span, runner.MaxTimeline), ""},
	} {
		if got := unfinished(&runner.Execution{Timeline: tt.spans}); got != tt.want {
			t.Errorf("%s: unfinished = %q, want %q", name, got, tt.want)
		}
	}
	e := finished()
	e.Timeline = []runner.Span{{Name: "step 2", Step: 2}}
	if got := unfinished(e); got != "" {
		t.Errorf("unfinished of a run that ended = %q, want nothing", got)
	}
}

// What the reason of a verdict ends with is not said again below it: a line of stderr, or
// all that the last call printed.
func TestView_SaysTheReasonOnce(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		stderr       []string
		want         string
	}{
		{"the agent refuses its options", "it failed: error: no such option", []string{"error: no such option", "", "Usage: agent"}, "The end of the agent's stderr:\n| Usage: agent\n"},
		{"one line of stderr", "it failed: no key", []string{"no key"}, ""},
		{"stderr says more", "it exited with status 7", []string{"one", "two"}, "The end of the agent's stderr:\n| one\n| two\n"},
		{"a call says it", "the run failed: FAIL one", nil, ""},
		{"a call says more", "the run failed", nil, "The last call that failed is call 1, $ make test (exit 2); its output ends with:\n| FAIL one\n"},
	} {
		v := View{Run: turns(t), Reason: tt.reason, Stderr: tt.stderr}
		v.Run.Verdict, v.Run.End.Error = "failure", nil
		var b strings.Builder
		_ = document.Terminal(&b, 0, false, append(v.why(), v.failing()...)...) // to memory: never fails
		if diff := cmp.Diff(tt.reason+"\n"+tt.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

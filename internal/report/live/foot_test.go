package live

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// timedEvent is an event and when it came, in milliseconds.
type timedEvent struct {
	ms   int
	step int
	data event.Payload
}

// ofRun is a run with a call that worked, one that was denied, and one that is
// still running; then its end.
var ofRun = []timedEvent{
	{0, 0, event.RunStart{Provider: "api.example.test", Model: "gpt"}},
	{1, 1, event.StepStarted{}},
	{2, 1, event.ModelRequestStart{}},
	{500, 1, event.ModelDelta{Text: "I read it\nfir"}},
	{600, 1, event.ModelDelta{Text: "st, \x1b[31mthen I test.\n"}},
	{700, 1, event.ModelResponseEnd{Usage: &event.Usage{Input: new(int64(310)), Output: new(int64(24))}}},
	{700, 1, event.ToolCallDetected{ToolCallID: "a", Tool: "read_file", ArgumentsPreview: new(`{"path":"cmd/greet/main.go"}`), TextPreview: new("I read it\nfirst, then I test.")}},
	{701, 1, event.ToolDecision{ToolCallID: "a", Decision: "allow"}},
	{702, 1, event.ToolExecStart{ToolCallID: "a", Tool: "read_file"}},
	{705, 1, event.ToolExecEnd{ToolCallID: "a", OK: true, SummaryText: "main.go: 89 bytes", DurationMS: new(int64(3)), Content: "package main\n\nfunc main() {\n\t漢字()\n}\n"}},
	{706, 1, event.ToolCallDetected{ToolCallID: "b", Tool: "execute_command", ArgumentsPreview: new(`{"command":"git push"}`)}},
	{707, 1, event.ToolDecision{ToolCallID: "b", Decision: "deny", Source: "ci.yaml", Reason: new("pushing is the workflow's job")}},
	{708, 1, event.ToolRetry{ToolCallID: "b"}},
	{710, 2, event.StepStarted{}},
	{711, 2, event.ModelRequestStart{}},
	{800, 2, event.ProviderRetry{Failure: "rate_limit", Status: new(int64(429)), Attempt: new(int64(1)), MaxAttempts: new(int64(3)), BackoffMS: new(int64(200))}},
	{1500, 2, event.ModelResponseEnd{}},
	{1500, 2, event.ToolCallDetected{ToolCallID: "c", Tool: "execute_command", ArgumentsPreview: new(`{"command":"go test ./..."}`)}},
	{1501, 2, event.ToolExecStart{ToolCallID: "c", Tool: "execute_command"}},
	{9000, 2, event.ToolExecEnd{ToolCallID: "c", SummaryText: "command was cancelled", DurationMS: new(int64(7499))}},
	{9100, 2, event.RunEnd{ExitReason: "timeout", Error: new("the run took longer than --timeout 9s"), Steps: new(int64(2)), ToolCalls: new(int64(2)), DurationMS: new(int64(9100))}},
}

// scene is a Live that is not drawn, at a time of its own.
type scene struct {
	*Live
	out strings.Builder
	now time.Duration
}

// sceneAt returns a scene after the first ms milliseconds of ofRun.
func sceneAt(ms int, ending bool) *scene {
	s := &scene{}
	s.Live = NewLive(&s.out, term.Screen{}, false)
	start := time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC)
	s.foot.now = func() time.Time { return start.Add(s.now) }
	s.foot.began, s.foot.ending = start, func() bool { return ending }
	for _, e := range ofRun {
		if e.ms <= ms {
			s.now = time.Duration(e.ms) * time.Millisecond
			_ = s.Emit(event.Event{RunID: "r1", Step: e.step, Data: e.data})
		}
	}
	s.now = time.Duration(ms) * time.Millisecond
	return s
}

func TestFoot_Lines(t *testing.T) {
	for _, tt := range []struct {
		ms, width, height int
		ending            bool
		want              string
	}{
		{0, 80, 24, false, "waiting for the first turn · 0 ms · Ctrl-C ends the run"},
		{650, 80, 24, false, "  | I read it\n  | first, then I test.\nturn 1, model 648 ms · 650 ms · Ctrl-C ends the run"},
		{703, 80, 24, false, "turn 1, read_file 1 ms · 1 tool call · 310 tokens in and 24 out · 703 ms"},
		{705, 40, 12, false, "  | package main\n  | func main() {\n  |  漢字()\n  | }\nturn 1 · 1 tool call · 310 tokens in a…"},
		{4000, 20, 2, false, "turn 2, execute_co…"},
		{4000, 100, 24, true, "ending, Ctrl-C again does not wait · turn 2, execute_command 2.4 s · 2 tool calls · 310 tokens in …"},
		{9100, 120, 24, false, "run finished, waiting for the agent to exit · 2 tool calls · 310 tokens in and 24 out · 9.1 s · Ctrl-C ends the run"},
	} {
		if diff := cmp.Diff(tt.want, sceneAt(tt.ms, tt.ending).foot.lines(tt.width, tt.height)); diff != "" {
			t.Errorf("after %d ms (-want +got):\n%s", tt.ms, diff)
		}
	}
	s := sceneAt(4000, false)
	s.foot.Findings(2)
	if got := s.foot.lines(120, 24); !strings.Contains(got, "· 2 tool calls · 2 findings ·") {
		t.Errorf("foot = %q, want the findings counted", got)
	}
}

// Whatever the size of the screen, the foot fits into it.
func TestFoot_FitsEverySize(t *testing.T) {
	for _, ms := range []int{0, 650, 1000, 4000, 9100} {
		foot := sceneAt(ms, ms%2 == 0).foot
		for width := 1; width < 45; width++ {
			for height := 1; height < 12; height++ {
				rows := strings.Split(foot.lines(width, height), "\n")
				if len(rows) > height {
					t.Fatalf("foot of %d times %d after %d ms has %d rows", width, height, ms, len(rows))
				}
				for _, row := range rows {
					if term.Cells(row) >= width {
						t.Fatalf("foot of %d times %d after %d ms has a row of %d cells: %q", width, height, ms, term.Cells(row), row)
					}
				}
			}
		}
	}
}

// Foreign returns a payload of every kind with this text wherever one can be,
// as far as it is shown.
func Foreign(text string) []event.Payload {
	payloads := append(event.Payloads(),
		event.ToolCallDetected{ArgumentsPreview: new("")}, event.ToolDecision{Reason: new("")}, event.RunEnd{Error: new("")})
	for i, p := range payloads {
		p = event.Masked(p, func(string) string { return text })
		if d, ok := p.(event.ToolDecision); ok {
			d.Decision = "deny"
			p = d
		}
		payloads[i] = p
	}
	return payloads
}

// Text of an agent, a model or a tool draws nothing of its own.
func TestFoot_ForeignTextIsHarmless(t *testing.T) {
	const evil = "x\x1b[2J\x1b]0;title\x07\u202egnp\u009b5A\r\n::error::forged ##[error]"
	s := sceneAt(-1, false)
	for i, p := range Foreign(evil) {
		_ = s.Emit(event.Event{RunID: evil, Step: i, Data: p})
		shown := "\n" + s.foot.above.String() + s.foot.lines(60, 30)
		if at := strings.IndexAny(shown, "\x1b\x07\u202e\u009b\r"); at >= 0 || strings.Contains(shown, "\n::") || strings.Contains(shown, "##[") {
			t.Errorf("what is shown after %s can act on a terminal or a log:\n%q", p.Kind(), shown)
		}
	}
}

// While a command runs, the foot has its last lines, cleaned; output of a call that
// has ended meanwhile is not shown, and the result replaces it.
func TestFoot_OutputOfARunningCommand(t *testing.T) {
	s := sceneAt(1501, false)
	var streams []string
	during := func() {}
	s.Watch(func() []string { during(); return streams })
	shown := func(output ...string) string {
		streams, s.now = output, s.now+watchEvery
		s.foot.look()
		return s.foot.lines(60, 24)
	}
	if got := shown("old\n1\n2\n\n3\n\x1b[31m4\x1b[0m\n::error::5\n"); !strings.HasPrefix(got, "  | 1\n  | 2\n  | 3\n  | 4\n  | : :error::5\nturn 2, ") {
		t.Errorf("foot with the output of a command:\n%s", got)
	}
	if got := shown("o1\no2\no3\no4\n", "e1\ne2\ne3\n"); !strings.HasPrefix(got, "  | o2\n  | o3\n  | o4\n  | e2\n  | e3\nturn 2, ") {
		t.Errorf("foot with both streams of a command:\n%s", got)
	}
	if got := shown(); !strings.Contains(got, "  | e3\n") {
		t.Errorf("foot after a look that shows nothing:\n%s", got)
	}
	during = func() {
		_ = s.Emit(event.Event{Step: 2, Data: event.ToolExecEnd{ToolCallID: "c", OK: true, Content: "the result"}})
	}
	if got := shown("too late\n"); !strings.HasPrefix(got, "  | the result\nturn 2") {
		t.Errorf("foot after the end of the command:\n%s", got)
	}
}

func TestFoot_KeepsTheEndOfATail(t *testing.T) {
	s := sceneAt(650, false)
	for range 3 * maxTail / 100 {
		_ = s.Emit(event.Event{Data: event.ModelDelta{Text: strings.Repeat("x", 100)}})
	}
	if len(s.foot.tail) != maxTail {
		t.Errorf("the tail has %d bytes, want the last %d", len(s.foot.tail), maxTail)
	}
}

// A log gets nothing but what was written.
func TestFoot_NoTerminal(t *testing.T) {
	var b strings.Builder
	f := NewFoot(&b, term.Screen{})
	f.While(t.Context(), func() { _, _ = f.Write([]byte("one\n")) })
	if b.String() != "one\n" {
		t.Errorf("written = %q, want the line alone", b.String())
	}
}

package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// at is a time of the runs in these tests, in milliseconds after their start.
func at(ms int) time.Time {
	return time.Date(2026, 3, 3, 20, 11, 12, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

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
	{700, 1, event.ToolCallDetected{ToolCallID: "a", Tool: "read_file", ArgumentsPreview: new(`{"path":"cmd/greet/main.go"}`)}},
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

// boardAt returns what is known of the run after ms milliseconds.
func boardAt(ms int) *board {
	var b board
	for _, e := range ofRun {
		if e.ms <= ms {
			b.update(event.Event{RunID: "r1", Step: e.step, Data: e.data}, at(e.ms))
		}
	}
	return &b
}

func TestFrame_Drawn(t *testing.T) {
	for _, tt := range []struct {
		name              string
		ms, width, height int
		ending            bool
		want              string
	}{
		{"nothing told yet", -1, 80, 24, false, `
turn 0 · Ctrl-C ends the run
`},
		{"the model speaks", 650, 80, 24, false, `
run r1 with api.example.test gpt
turn 1
  | I read it
  | first, then I test.
turn 1, model 648 ms · 650 ms · Ctrl-C ends the run
`},
		{"a call was denied and a request failed", 1000, 80, 24, false, `
run r1 with api.example.test gpt
turn 1
  ok     read cmd/greet/main.go  (3 ms)
  denied $ git push  pushing is the workflow's job
turn 2
  provider: rate_limit (status 429), attempt 1 of 3 failed, next in 200 ms
  | package main
  | func main() {
  |  漢字()
  | }
turn 2, model 289 ms · 1 tool call · 310 tokens in and 24 out · 1.0 s
`},
		{"a command runs", 4000, 60, 24, false, `
run r1 with api.example.test gpt
turn 1
  ok     read cmd/greet/main.go  (3 ms)
  denied $ git push  pushing is the workflow's job
turn 2
  provider: rate_limit (status 429), attempt 1 of 3 failed,…
  runs   $ go test ./...  (2.4 s)
turn 2, execute_command 2.4 s · 2 tool calls · 310 tokens i…
`},
		{"asked to end", 4000, 100, 4, true, `
  provider: rate_limit (status 429), attempt 1 of 3 failed, next in 200 ms
  runs   $ go test ./...  (2.4 s)
ending, Ctrl-C again does not wait · turn 2, execute_command 2.4 s · 2 tool calls · 310 tokens in a…
`},
		{"small", 4000, 20, 5, false, `
turn 2
  provider: rate_li…
  runs   $ g…  (2.4…
turn 2, execute_com…
`},
		{"one line", 4000, 20, 2, false, "\nturn 2, execute_com…\n"},
		{"the end", 9999, 70, 9, false, `
run r1 with api.example.test gpt
  ok     read cmd/greet/main.go  (3 ms)
  denied $ git push  pushing is the workflow's job
turn 2
  provider: rate_limit (status 429), attempt 1 of 3 failed, next in 2…
  failed $ go test ./...  (7.4 s)
end: timeout · 2 turns · 3 calls (1 denied, 1 failed) · 9.1 s
  the run took longer than --timeout 9s
`},
		{"the end on a narrow screen", 9999, 30, 5, false, `
ls (1 denied, 1 failed) · 9.1 
s
  the run took longer than --t
imeout 9s
`},
	} {
		got := boardAt(tt.ms).frame(tt.width, tt.height, at(tt.ms), tt.ending, false)
		if diff := cmp.Diff(tt.want, "\n"+got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Whatever the size of the screen, a frame fits into it.
func TestFrame_FitsEverySize(t *testing.T) {
	for _, ms := range []int{-1, 0, 650, 1000, 4000, 9999} {
		b := boardAt(ms)
		for width := -1; width < 45; width++ {
			for height := -1; height < 12; height++ {
				frame := b.frame(width, height, at(ms), ms%2 == 0, false)
				rows := strings.Split(frame, "\n")
				if frame != "" && len(rows) > height {
					t.Fatalf("frame(%d, %d) after %d ms has %d rows:\n%s", width, height, ms, len(rows), frame)
				}
				for _, row := range rows {
					if frame != "" && term.Cells(row) > width && width > 1 {
						t.Fatalf("frame(%d, %d) after %d ms has a row of %d cells: %q", width, height, ms, term.Cells(row), row)
					}
				}
			}
		}
	}
}

func TestFrame_Colours(t *testing.T) {
	frame := boardAt(9999).frame(80, 24, at(9999), false, true)
	for _, want := range []string{"  \x1b[32mok\x1b[0m ", "  \x1b[33mdenied\x1b[0m ", "  \x1b[31mfailed\x1b[0m ", "\x1b[31mend: timeout\x1b[0m · 2 turns"} {
		if !strings.Contains(frame, want) {
			t.Errorf("frame lacks %q:\n%q", want, frame)
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
func TestFrame_ForeignTextIsHarmless(t *testing.T) {
	const evil = "x\x1b[2J\x1b]0;title\x07\u202egnp\u009b5A\r\n::error::forged ##[error]"
	var b board
	for i, p := range Foreign(evil) {
		b.update(event.Event{RunID: evil, Step: i, Data: p}, at(i))
		frame := b.frame(60, 30, at(i), false, false)
		if i := strings.IndexAny(frame, "\x1b\x07\u202e\u009b\r"); i >= 0 || strings.Contains(frame, "\n::") || strings.Contains(frame, "##[") {
			t.Errorf("frame after %s can act on a terminal or a log:\n%q", p.Kind(), frame)
		}
	}
}

func TestBoard_KeepsTheLastOnly(t *testing.T) {
	var b board
	for i := range 3 * maxRows {
		b.update(event.Event{Step: 1, Data: event.ToolCallDetected{ToolCallID: fmt.Sprint(i), Tool: "t"}}, at(i))
		b.update(event.Event{Data: event.ModelDelta{Text: strings.Repeat("x", 100)}}, at(i))
	}
	if len(b.rows) != maxRows || b.rows[maxRows-1].call.ID != fmt.Sprint(3*maxRows-1) || len(b.tail) != maxTail {
		t.Errorf("the board keeps %d rows up to %s and %d bytes, want the last %d and %d", len(b.rows), b.rows[len(b.rows)-1].call.ID, len(b.tail), maxRows, maxTail)
	}
	b.update(event.Event{Data: event.ToolExecEnd{ToolCallID: "0", OK: true}}, at(0))
	b.update(event.Event{Data: event.ToolExecStart{ToolCallID: "unknown"}}, at(0))
}

// While a command runs, the picture has its last lines, cleaned; what is told of a
// call that has ended meanwhile is not shown, and the result replaces it.
func TestFrame_OutputOfARunningCommand(t *testing.T) {
	b := boardAt(1501)
	b.watched(b.running, []string{"old\n1\n2\n\n3\n\x1b[31m4\x1b[0m\n::error::5\n"})
	if got := b.frame(60, 24, at(1600), false, false); !strings.Contains(got, "  | 1\n  | 2\n  | 3\n  | 4\n  | : :error::5\nturn 2, ") || strings.Contains(got, "old") {
		t.Errorf("frame with the output of a command:\n%s", got)
	}
	b.watched(b.running, []string{"o1\no2\no3\no4\n", "e1\ne2\ne3\n"})
	if got := b.frame(60, 24, at(1600), false, false); !strings.Contains(got, "  | o2\n  | o3\n  | o4\n  | e2\n  | e3\nturn 2, ") {
		t.Errorf("frame with both streams of a command:\n%s", got)
	}
	b.watched(b.running-1, []string{"of another call\n"})
	b.watched(b.running, nil)
	if got := b.frame(60, 24, at(1600), false, false); !strings.Contains(got, "  | e3\n") || strings.Contains(got, "another") {
		t.Errorf("frame after the output of another call:\n%s", got)
	}
	running := b.running
	b.update(event.Event{Step: 2, Data: event.ToolExecEnd{ToolCallID: "c", Content: "the result"}}, at(1700))
	b.watched(running, []string{"too late\n"})
	if got := b.frame(60, 24, at(1800), false, false); !strings.Contains(got, "  | the result\nturn 2") || strings.Contains(got, "e3") || strings.Contains(got, "late") {
		t.Errorf("frame after the end of the command:\n%s", got)
	}
}

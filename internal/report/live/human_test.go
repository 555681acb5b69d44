package live_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/report/live"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// shown returns the lines that people see of events.
func shown(t *testing.T, stream bool, events ...event.Event) []string {
	t.Helper()
	var b strings.Builder
	h := live.NewHuman(&b, term.Screen{}, live.Options{Stream: stream, End: true})
	for _, e := range events {
		if err := h.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// calls are a turn with a call that failed and one that was denied, then the end.
func calls() []event.Event {
	return []event.Event{
		{RunID: "r2", Data: event.RunStart{Provider: "host", Model: "gpt", ParentRunID: new("r1")}},
		{Step: 1, Data: event.StepStarted{}},
		{Step: 1, Data: event.ProviderRetry{Failure: "rate_limit", Status: new(int64(429)), Attempt: new(int64(1)), MaxAttempts: new(int64(4)), BackoffMS: new(int64(500))}},
		{Step: 1, Data: event.ToolCallDetected{ToolCallID: "a", Tool: "execute_command", ArgumentsPreview: new(`{"command":"make 50% test"}`), TextPreview: new("I run it.\n::error::x"), TextBytes: new(int64(9))}},
		{Step: 1, Data: event.ToolExecStart{ToolCallID: "a"}},
		{Step: 1, Data: event.ToolExecEnd{ToolCallID: "a", Content: "one\n::error::two\n", ExitStatus: new(int64(2)), DurationMS: new(int64(2500))}},
		{Step: 1, Data: event.ToolCallDetected{ToolCallID: "b", Tool: "read_file", ArgumentsPreview: new(`{"path":"a.go"}`), ParentCallID: new("a")}},
		{Step: 1, Data: event.ToolExecEnd{ToolCallID: "b", OK: true, DurationMS: new(int64(12))}},
		{Step: 1, Data: event.ToolCallDetected{ToolCallID: "c", Tool: "t"}},
		{Step: 1, Data: event.ToolDecision{ToolCallID: "c", Decision: "deny", Reason: new("no shell"), Source: "ci.yaml"}},
		{Step: 2, Data: event.StepStarted{}},
		{Step: 2, Data: event.StepBlocked{Reason: "the same call three times"}},
		{Step: 2, Data: event.RunEnd{ExitReason: "blocked", Error: new("it was\nblocked"), DurationMS: new(int64(9))}},
	}
}

func TestHuman_LinesOfEvents(t *testing.T) {
	want := []string{
		"run r2 with host gpt, after r1", "turn 1", "  provider: rate_limit (status 429), attempt 1 of 4 failed, next in 500 ms",
		"  I run it.", "  : :error::x", "  $ make 50% test", "    exit 2 (2.5 s)", "    | one", "    | : :error::two",
		"    read a.go", "      ok (12 ms)", "  t", "    denied: no shell", "turn 2", "  blocked: the same call three times",
		"end: blocked · 2 turns · 3 calls (1 denied, 1 failed) · 9 ms", "  it was blocked",
		"  openagent explain blocked says what to do",
	}
	if diff := cmp.Diff(want, shown(t, false, calls()...)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// In a job each turn is a group; what failed or was denied is shown again below it, where
// it is not folded.
func TestHuman_GroupsOfAJob(t *testing.T) {
	var b strings.Builder
	h := live.NewHuman(&b, term.Screen{}, live.Options{Groups: live.JobGroups{W: &b}})
	for _, e := range calls() {
		_ = h.Emit(e)
	}
	want := []string{
		"run r2 with host gpt, after r1", "::group::turn 1", "  provider: rate_limit (status 429), attempt 1 of 4 failed, next in 500 ms",
		"  I run it.", "  : :error::x", "  $ make 50% test", "    exit 2 (2.5 s)", "    read a.go", "      ok (12 ms)", "  t", "    denied: no shell", "::endgroup::",
		"  $ make 50% test", "    exit 2 (2.5 s)", "    | one", "    | : :error::two", "  t", "    denied: no shell",
		"::group::turn 2", "  blocked: the same call three times", "::endgroup::", "",
	}
	if diff := cmp.Diff(want, strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Whatever stands in an event, no line is one that a terminal or a job log acts on.
func TestHuman_ForeignEventsAreHarmless(t *testing.T) {
	const evil = "\n::error::forged\n##[error]x\x1b[31m\u2028::x"
	payloads := append(event.Payloads(), live.Foreign(evil)...)
	payloads = append(payloads, event.ToolCallDetected{Tool: "t", ArgumentsPreview: new(`{"\n::error::k":{"a":"\n::error::v"},"b":"\n##[error]"}`)})
	for _, p := range payloads {
		if _, delta := p.(event.ModelDelta); delta {
			continue
		}
		lines := shown(t, false, event.Event{RunID: evil, Data: p})
		for _, line := range lines {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "::") || strings.Contains(line, "##[") || strings.ContainsAny(line, "\x1b\u2028\r") {
				t.Errorf("%+v shows %q, want it harmless", p, line)
			}
		}
	}
}

func TestHuman_LongTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, p := range []event.Payload{
		event.ToolCallDetected{Tool: long, ArgumentsPreview: new(`{"` + long + `":"` + long + `"}`)},
		event.RunEnd{ExitReason: long, Error: &long, Steps: new(int64(math.MaxInt64))},
	} {
		if lines := shown(t, false, event.Event{Data: p}); len(lines[0]) > 600 {
			t.Errorf("%s shows %d bytes, want a line that can be read", p.Kind(), len(lines[0]))
		}
	}
}

func TestHuman_DeltasLineByLine(t *testing.T) {
	delta := func(text string) event.Event {
		return event.Event{Data: event.ModelDelta{Text: text}}
	}
	events := []event.Event{delta("one\ntw"), delta("o\n::err"), delta("or::x"), {Data: event.StepStarted{}, Step: 2}, delta("rest")}
	want := []string{"  | one", "  | two", "  | : :error::x", "turn 1"}
	if diff := cmp.Diff(want, shown(t, true, events...)); diff != "" {
		t.Errorf("with stream (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"turn 1"}, shown(t, false, events...)); diff != "" {
		t.Errorf("without stream (-want +got):\n%s", diff)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestHuman_NeverFails(t *testing.T) {
	if err := live.NewHuman(full{}, term.Screen{}, live.Options{Stream: true}).Emit(event.Event{Data: event.RunStart{}}); err != nil {
		t.Errorf("Emit to a full terminal = %v, want nil", err)
	}
}

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
	h := live.NewHuman(&b, term.Screen{}, stream)
	for _, e := range events {
		if err := h.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestHuman_LinesOfEvents(t *testing.T) {
	for want, e := range map[string]event.Event{
		"run r1 with host gpt": {RunID: "r1", Data: event.RunStart{Provider: "host", Model: "gpt"}},
		"run r2, after r1":     {Data: event.RunStart{ParentRunID: new("r1")}, RunID: "r2"},
		"run r1":               {Data: event.RunStart{}, RunID: "r1"},
		"step 3":               {Data: event.StepStarted{}, Step: 3},
		`  > read_file a="x y" n=7 path=a.go z=""`: {Data: event.ToolCallDetected{
			Tool: "read_file", ArgumentsPreview: new(`{"path":"a.go","a":"x y","n":7,"z":""}`)}},
		`  > t {"torn`:                    {Data: event.ToolCallDetected{Tool: "t", ArgumentsPreview: new(`{"torn`)}},
		"  > t":                           {Data: event.ToolCallDetected{Tool: "t"}},
		"    denied: no shell":            {Data: event.ToolDecision{Decision: "deny", Reason: new("no shell")}},
		"    denied by ci.yaml: no shell": {Data: event.ToolDecision{Decision: "deny", Reason: new("no shell"), Source: "ci.yaml"}},
		"    denied by flag":              {Data: event.ToolDecision{Decision: "deny", Source: "flag"}},
		"    retry: the model was told (E_SCHEMA, 1 of 2)": {Data: event.ToolRetry{
			FailureClass: "E_SCHEMA", Attempt: new(int64(1)), MaxRetries: new(int64(2)), Action: "repair"}},
		"    retry: the model was told (E_POLICY)": {Data: event.ToolRetry{FailureClass: "E_POLICY", Attempt: new(int64(1)), MaxRetries: new(int64(0))}},
		"    retry: no more (E_SCHEMA)":            {Data: event.ToolRetry{FailureClass: "E_SCHEMA", Attempt: new(int64(3)), MaxRetries: new(int64(2)), Action: "stop"}},
		"    retry: the model was told":            {Data: event.ToolRetry{}},
		"":                                         {Data: event.ToolDecision{Decision: "allow", Reason: new("listed")}},
		"    ok: 3 lines (12 ms)":                  {Data: event.ToolExecEnd{OK: true, SummaryText: "3 lines", DurationMS: new(int64(12))}},
		"    ok (2.5 s)":                           {Data: event.ToolExecEnd{OK: true, DurationMS: new(int64(2500))}},
		"    failed":                               {Data: event.ToolExecEnd{}},
		"  blocked: the same call three times":     {Data: event.StepBlocked{Reason: "the same call three times"}},
		"  provider: rate_limit (status 429), attempt 1 of 4 failed, next in 500 ms": {Data: event.ProviderRetry{
			Failure: "rate_limit", Status: new(int64(429)), Attempt: new(int64(1)), MaxAttempts: new(int64(4)), BackoffMS: new(int64(500))}},
		"  provider: rate_limit (status 429), attempt 2 failed, next in 1.0 s": {Data: event.ProviderRetry{
			Failure: "rate_limit", Status: new(int64(429)), Attempt: new(int64(2)), BackoffMS: new(int64(1000))}},
		"  provider: rate_limit, attempt 2 of 5 failed": {Data: event.ProviderRetry{Failure: "rate_limit", Attempt: new(int64(2)), MaxAttempts: new(int64(5))}},
		"  provider: connection, an attempt failed":     {Data: event.ProviderRetry{Failure: "connection"}},
		"  provider: network: no route":                 {Data: event.ProviderError{Failure: "network", MessageShort: "no route"}},
		"end: max_steps after 3 steps, 0 tool calls, 70 tokens in and 7 out, in 9 ms\n  3 steps are the limit": {Data: event.RunEnd{
			ExitReason: "max_steps", Steps: new(int64(3)), ToolCalls: new(int64(0)), Usage: &event.Usage{Input: new(int64(70)), Output: new(int64(7))}, DurationMS: new(int64(9)),
			Error: new("3 steps are the limit")}},
		"end: cancelled": {Data: event.RunEnd{ExitReason: "cancelled", Error: new("cancelled")}},
		"end: ok after 1 step, 1 tool call, 1 token": {Data: event.RunEnd{
			ExitReason: "ok", Steps: new(int64(1)), ToolCalls: new(int64(1)), Usage: &event.Usage{Total: new(int64(1))}}},
		"end: ok": {Data: event.RunEnd{ExitReason: "ok"}},
	} {
		if diff := cmp.Diff(want, strings.Join(shown(t, false, e), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Data.Kind(), diff)
		}
	}
}

// Whatever stands in an event, each kind shows one line at most, the end one
// more for its error, and none that a terminal or a job log acts on.
func TestHuman_ForeignEventsAreHarmless(t *testing.T) {
	const evil = "\n::error::forged\n##[error]x\x1b[31m\u2028::x"
	payloads := append(event.Payloads(), live.Foreign(evil)...)
	payloads = append(payloads, event.ToolCallDetected{Tool: "t", ArgumentsPreview: new(`{"\n::error::k":{"a":"\n::error::v"},"b":"\n##[error]"}`)})
	for _, p := range payloads {
		if _, delta := p.(event.ModelDelta); delta {
			continue
		}
		lines := shown(t, false, event.Event{RunID: evil, Data: p})
		want := 1
		if end, ok := p.(event.RunEnd); ok && end.Error != nil {
			want = 2
		}
		if len(lines) != want {
			t.Errorf("%+v shows %q, want %d lines", p, lines, want)
		}
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
	want := []string{"  | one", "  | two", "  | : :error::x", "step 2"}
	if diff := cmp.Diff(want, shown(t, true, events...)); diff != "" {
		t.Errorf("with stream (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"step 2"}, shown(t, false, events...)); diff != "" {
		t.Errorf("without stream (-want +got):\n%s", diff)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestHuman_NeverFails(t *testing.T) {
	if err := live.NewHuman(full{}, term.Screen{}, true).Emit(event.Event{Data: event.RunStart{}}); err != nil {
		t.Errorf("Emit to a full terminal = %v, want nil", err)
	}
}

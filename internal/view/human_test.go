package view_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/view"
)

// shown returns the lines that people see of events.
func shown(t *testing.T, stream bool, events ...event.Event) []string {
	t.Helper()
	var b strings.Builder
	h := view.NewHuman(&b, view.Screen{}, stream)
	for _, e := range events {
		if err := h.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestHuman_LinesOfEvents(t *testing.T) {
	for want, e := range map[string]event.Event{
		"run r1 with host gpt": {Kind: event.RunStart, RunID: "r1", Data: event.Data{"provider": "host", "model": "gpt"}},
		"run r1":               {Kind: event.RunStart, RunID: "r1"},
		"step 3":               {Kind: event.StepStarted, Step: 3},
		`  > read_file a="x y" n=7 path=a.go z=""`: {Kind: event.ToolCallDetected, Data: event.Data{
			"tool": "read_file", "arguments_preview": `{"path":"a.go","a":"x y","n":7,"z":""}`}},
		`  > t {"torn`:                    {Kind: event.ToolCallDetected, Data: event.Data{"tool": "t", "arguments_preview": `{"torn`}},
		"  > t":                           {Kind: event.ToolCallDetected, Data: event.Data{"tool": "t"}},
		"    denied: no shell":            {Kind: event.ToolDecision, Data: event.Data{"decision": "deny", "reason": "no shell"}},
		"    denied by ci.yaml: no shell": {Kind: event.ToolDecision, Data: event.Data{"decision": "deny", "reason": "no shell", "source": "ci.yaml"}},
		"    denied by flag":              {Kind: event.ToolDecision, Data: event.Data{"decision": "deny", "source": "flag", "reason": nil}},
		"    retry: the model was told (E_SCHEMA, 1 of 2)": {Kind: event.ToolRetry, Data: event.Data{
			"failure_class": "E_SCHEMA", "attempt": 1, "max_retries": 2, "action": "repair"}},
		"    retry: the model was told (E_POLICY)": {Kind: event.ToolRetry, Data: event.Data{"failure_class": "E_POLICY", "attempt": 1, "max_retries": 0}},
		"    retry: no more (E_SCHEMA)":            {Kind: event.ToolRetry, Data: event.Data{"failure_class": "E_SCHEMA", "attempt": 3, "max_retries": 2, "action": "stop"}},
		"    retry: the model was told":            {Kind: event.ToolRetry},
		"":                                         {Kind: event.ToolDecision, Data: event.Data{"decision": "allow", "reason": "listed"}},
		"    ok: 3 lines (12 ms)":                  {Kind: event.ToolExecEnd, Data: event.Data{"ok": true, "summary_text": "3 lines", "duration_ms": int64(12)}},
		"    ok (2.5 s)":                           {Kind: event.ToolExecEnd, Data: event.Data{"ok": true, "duration_ms": 2500}},
		"    failed":                               {Kind: event.ToolExecEnd, Data: event.Data{"ok": nil}},
		"  blocked: the same call three times":     {Kind: event.StepBlocked, Data: event.Data{"reason": "the same call three times"}},
		"  provider: rate_limit (status 429), attempt 1 of 4 failed, next in 500 ms": {Kind: event.ProviderRetry, Data: event.Data{
			"kind": "rate_limit", "status": json.Number("429"), "attempt": 1, "max_attempts": 4, "backoff_ms": 500}},
		"  provider: network: no route": {Kind: event.ProviderError, Data: event.Data{"kind": "network", "status": nil, "message_short": "no route"}},
		"end: max_steps after 3 steps, 0 tool calls, 70 tokens in and 7 out, in 9 ms\n  3 steps are the limit": {Kind: event.RunEnd, Data: event.Data{
			"exit_reason": "max_steps", "steps": 3, "tool_calls": 0, "usage": map[string]any{"input_tokens": 70, "output_tokens": 7}, "duration_ms": 9,
			"error": "3 steps are the limit"}},
		"end: cancelled": {Kind: event.RunEnd, Data: event.Data{"exit_reason": "cancelled", "error": "cancelled"}},
		"end: ok after 1 step, 1 tool call, 1 token": {Kind: event.RunEnd, Data: event.Data{
			"exit_reason": "ok", "steps": 1, "tool_calls": 1, "usage": map[string]any{"total_tokens": 1}}},
		"end: ok": {Kind: event.RunEnd, Data: event.Data{"exit_reason": "ok", "usage": nil, "error": nil}},
	} {
		if diff := cmp.Diff(want, strings.Join(shown(t, false, e), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Kind, diff)
		}
	}
}

// Whatever stands in an event, each kind shows one line at most, the end one
// more for its error, and none that a terminal or a job log acts on.
func TestHuman_ForeignEventsAreHarmless(t *testing.T) {
	const evil = "\n::error::forged\n##[error]x\x1b[31m\u2028::x"
	data := event.Data{}
	for _, key := range []string{
		"provider", "model", "tool", "arguments_preview", "decision", "reason", "ok", "summary_text", "duration_ms", "kind", "status",
		"attempt", "max_attempts", "backoff_ms", "message_short", "exit_reason", "error", "steps", "tool_calls", "source",
		"failure_class", "action", "max_retries",
	} {
		data[key] = evil
	}
	data["usage"] = map[string]any{"input_tokens": evil, "output_tokens": []any{evil}, "total_tokens": []any{evil}}
	data["decision"] = "deny"
	odd := event.Data{"arguments_preview": `{"\n::error::k":{"a":"\n::error::v"},"b":"\n##[error]"}`, "tool": "t"}
	for _, kind := range event.Kinds() {
		if kind == event.ModelDelta {
			continue
		}
		for _, d := range []event.Data{data, odd, nil} {
			lines := shown(t, false, event.Event{Kind: kind, RunID: evil, Data: d})
			want := 1
			if kind == event.RunEnd && d["error"] != nil {
				want = 2
			}
			if len(lines) != want {
				t.Errorf("%s shows %q, want %d lines", kind, lines, want)
			}
			for _, line := range lines {
				line = strings.TrimSpace(line)
				if strings.HasPrefix(line, "::") || strings.Contains(line, "##[") || strings.ContainsAny(line, "\x1b\u2028\r") {
					t.Errorf("%s shows %q, want it harmless", kind, line)
				}
			}
		}
	}
}

func TestHuman_LongTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for kind, d := range map[event.Kind]event.Data{
		event.ToolCallDetected: {"tool": long, "arguments_preview": `{"` + long + `":"` + long + `"}`},
		event.RunEnd:           {"exit_reason": long, "error": long, "steps": json.Number(strings.Repeat("9", 5000))},
	} {
		if lines := shown(t, false, event.Event{Kind: kind, Data: d}); len(lines[0]) > 600 {
			t.Errorf("%s shows %d bytes, want a line that can be read", kind, len(lines[0]))
		}
	}
}

func TestHuman_DeltasLineByLine(t *testing.T) {
	delta := func(text string) event.Event {
		return event.Event{Kind: event.ModelDelta, Data: event.Data{"text": text}}
	}
	events := []event.Event{delta("one\ntw"), delta("o\n::err"), delta("or::x"), {Kind: event.StepStarted, Step: 2}, delta("rest")}
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
	if err := view.NewHuman(full{}, view.Screen{}, true).Emit(event.Event{Kind: event.RunStart}); err != nil {
		t.Errorf("Emit to a full terminal = %v, want nil", err)
	}
}

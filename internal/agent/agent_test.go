package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// answers is a model that gives one answer after another.
type answers struct {
	list     []func(context.Context, chat.Request) (chat.Reply, error)
	requests [][]chat.Message
}

func (a *answers) Complete(ctx context.Context, req chat.Request) (chat.Reply, error) {
	var seen []chat.Message
	for _, m := range req.Messages {
		seen = append(seen, chat.Message{Role: m.Role, Content: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, ToolFailed: m.ToolFailed})
	}
	a.requests = append(a.requests, seen)
	if len(a.requests) > len(a.list) {
		return chat.Reply{}, &chat.Failure{Kind: chat.FailScript, Message: "no more answers"}
	}
	return a.list[len(a.requests)-1](ctx, req)
}

func says(text string) func(context.Context, chat.Request) (chat.Reply, error) {
	return replies(chat.Reply{Text: text, FinishReason: "stop"})
}

func calls(list ...string) func(context.Context, chat.Request) (chat.Reply, error) {
	r := chat.Reply{FinishReason: "tool_calls"}
	for i := 0; i < len(list); i += 2 {
		r.Calls = append(r.Calls, chat.ToolCall{ID: fmt.Sprintf("id-%s-%d", list[i], i), Name: list[i], Arguments: list[i+1]})
	}
	return replies(r)
}

func replies(r chat.Reply) func(context.Context, chat.Request) (chat.Reply, error) {
	return func(context.Context, chat.Request) (chat.Reply, error) { return r, nil }
}

type echoArgs struct {
	Text string `json:"text" arg:"required"`
}

// tools of the tests: echo succeeds, fail fails, hang waits for the end, boom
// panics, burst gives what panics later, act succeeds with side effects.
func testTools() *tool.Registry {
	done := func(_ context.Context, _ tool.Call, a echoArgs) (did, *tool.Error) {
		return did{"wrote " + a.Text}, nil
	}
	return tool.NewRegistry(
		define("echo", false, done), define("act", true, done),
		define("fail", false, func(_ context.Context, _ tool.Call, a echoArgs) (did, *tool.Error) {
			return did{}, tool.NewError(tool.KindNotFound, "no "+a.Text)
		}),
		define("hang", true, func(ctx context.Context, _ tool.Call, _ echoArgs) (did, *tool.Error) {
			<-ctx.Done()
			return did{}, tool.NewError(tool.KindCancelled, "ended")
		}),
		define("boom", true, func(context.Context, tool.Call, echoArgs) (did, *tool.Error) { panic("boom") }),
		define("burst", true, func(context.Context, tool.Call, echoArgs) (explosive, *tool.Error) { return explosive{}, nil }),
	)
}

func define[A any, C tool.Complete[P], P tool.Payload](name string, sideEffects bool, run func(context.Context, tool.Call, A) (C, *tool.Error)) tool.Tool {
	return tool.Define(tool.Spec{Name: name, Description: name, SideEffects: sideEffects, Budget: 2000}, run)
}

// did is what a tool of the tests did, in one line.
type did struct {
	What string `json:"what"`
}

func (d did) Summary() string { return d.What }
func (d did) Project() did    { return d }
func (d did) Text() string    { return d.What }

// explosive is what panics when it is made a result.
type explosive struct{ did }

func (explosive) Project() explosive { panic("burst") }

// recording is a sink and a record.
type recording struct {
	events   []event.Event
	calls    []record.Call
	messages []record.Message
	outcome  *record.Outcome
	failAt   int   // the event that is not delivered, from 1
	saveErr  error // what saving the record comes to
}

func (k *recording) Emit(e event.Event) error {
	if k.failAt > 0 && len(k.events)+1 >= k.failAt {
		return errors.New("no space left")
	}
	k.events = append(k.events, e)
	return nil
}

func (k *recording) Messages(m []record.Message, _ bool) error {
	k.messages = append(k.messages, m...)
	return nil
}

func (k *recording) Call(c record.Call) error { k.calls = append(k.calls, c); return nil }

func (k *recording) Finish(_ time.Time, _ string, o record.Outcome) error {
	k.outcome = &o
	return k.saveErr
}

// summary returns the events as short words, deltas and requests left out.
func (k *recording) summary() []string {
	var out []string
	for _, e := range k.events {
		switch d := e.Data.(type) {
		case event.ModelRequestStart, event.ModelResponseEnd, event.ModelDelta, event.PolicyLoaded:
			continue
		case event.ToolDecision:
			out = append(out, d.Decision+":"+d.Tool+":"+d.Source)
		case event.ToolRetry:
			out = append(out, "retry:"+d.FailureClass+":"+d.Action)
		case event.ToolExecEnd:
			out = append(out, fmt.Sprintf("end:%s:%t", d.Tool, d.OK))
		case event.StepBlocked:
			out = append(out, "blocked:"+d.Code)
		case event.RunEnd:
			out = append(out, "run_end:"+d.ExitReason)
		default:
			out = append(out, string(d.Kind()))
		}
	}
	return out
}

func (k *recording) end() event.RunEnd { return k.events[len(k.events)-1].Data.(event.RunEnd) }

// written returns v as it would be logged, whatever it points to.
func written(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// of returns the payloads of one kind.
func of[D event.Payload](k *recording) (list []D) {
	for _, e := range k.events {
		if d, ok := e.Data.(D); ok {
			list = append(list, d)
		}
	}
	return list
}

// try runs an agent over answers, changed by edit.
func try(t *testing.T, model *answers, edit func(*Config)) (Result, *recording) {
	t.Helper()
	return tryIn(t.Context(), model, edit)
}

// tryIn is try within ctx.
func tryIn(ctx context.Context, model *answers, edit func(*Config)) (Result, *recording) {
	k := &recording{}
	cfg := testConfig(model, k)
	if edit != nil {
		edit(&cfg)
	}
	return Run(ctx, cfg), k
}

// testConfig returns a run over answers.
func testConfig(model *answers, k *recording) Config {
	return Config{
		RunID: "r", Prompt: "do it", Model: model, Tools: testTools(), Policy: policy.Builtin(),
		Limits: Limits{Steps: 30}, Sink: k, Record: k, Redact: redact.New([]string{"sk-test-abcdef"}),
		Clock: event.NewFixedClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), Log: slog.New(slog.DiscardHandler),
	}
}

func model(list ...func(context.Context, chat.Request) (chat.Reply, error)) *answers {
	return &answers{list: list}
}

func wantEvents(t *testing.T, k *recording, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, k.summary()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestRun_AnswersWithoutTools(t *testing.T) {
	res, k := try(t, model(says("hello")), nil)
	wantEvents(t, k, "run_start", "step_started", "run_end:ok")
	if e := k.events[1]; e.Data != (event.PolicyLoaded{Source: "default"}) {
		t.Errorf("second event = %+v, want the policy", e)
	}
	if !res.OK || res.FinalOutput != "hello" || k.end().FinalOutput != "hello" || k.end().Error != nil {
		t.Errorf("Run = %+v, end %v, want ok with hello", res, k.end())
	}
}

func TestRun_FeedsResultsBackBoundToTheirCalls(t *testing.T) {
	m := model(calls("echo", `{"text":"a"}`, "fail", `{"text":"b"}`), says("done"))
	res, k := try(t, m, nil)
	wantEvents(t, k, "run_start", "step_started",
		"tool_call_detected", "allow:echo:default", "tool_exec_start", "end:echo:true",
		"tool_call_detected", "allow:fail:default", "tool_exec_start", "end:fail:false", "retry:E_OTHER:repair",
		"step_started", "run_end:ok")
	got := m.requests[1][2:]
	if len(got) != 3 || got[0].Role != chat.RoleAssistant || len(got[0].ToolCalls) != 2 ||
		got[1].ToolCallID != "id-echo-0" || got[1].ToolFailed || got[2].ToolCallID != "id-fail-2" || !got[2].ToolFailed {
		t.Errorf("second request = %+v, want the calls and a result for each", got)
	}
	if !res.OK || len(k.calls) != 2 || resultOf(k.calls[1]).Error == nil || k.outcome.ToolCalls != 2 {
		t.Errorf("Run = %+v, record %+v", res, k.calls)
	}
}

func TestRun_CallsThatCannotBeUnderstood(t *testing.T) {
	for name, c := range map[string]struct{ tool, args string }{
		"unknown tool": {"nope", `{}`}, "unknown key": {"echo", `{"text":"a","x":1}`}, "missing key": {"echo", `{}`},
		"cut": {"echo", `{"text":"a`}, "no JSON": {"echo", `text=a`}, "two values": {"echo", `{"text":"a"} {"text":"b"}`}, "no object": {"echo", `["a"]`},
	} {
		m := model(calls(c.tool, c.args), says("gave up"))
		_, k := try(t, m, nil)
		want := []string{"run_start", "step_started", "tool_call_detected", "deny:" + c.tool + ":argument_check", "retry:E_SCHEMA:repair", "step_started", "run_end:ok"}
		if diff := cmp.Diff(want, k.summary()); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", name, diff)
		}
		replayed := m.requests[1][2].ToolCalls[0].Arguments
		if !json.Valid([]byte(replayed)) {
			t.Errorf("%s: replayed arguments %q, want valid JSON", name, replayed)
		}
		if receipt := m.requests[1][3]; !strings.HasPrefix(receipt.Content, "Error (") || !receipt.ToolFailed {
			t.Errorf("%s: receipt %q, want an error", name, receipt.Content)
		}
	}
}

func TestRun_CutReplyNeverRunsHalfACall(t *testing.T) {
	m := model(replies(chat.Reply{FinishReason: "length", Calls: []chat.ToolCall{
		{ID: "a", Name: "echo", Arguments: `{"text":"whole"}`}, {ID: "b", Name: "echo", Arguments: ``},
	}}), says("done"))
	_, k := try(t, m, nil)
	wantEvents(t, k, "run_start", "step_started",
		"tool_call_detected", "allow:echo:default", "tool_exec_start", "end:echo:true",
		"tool_call_detected", "deny:echo:argument_check", "retry:E_SCHEMA:repair", "step_started", "run_end:ok")
}

func TestRun_ThirdMisunderstoodCallBlocks(t *testing.T) {
	bad := calls("echo", `{`)
	res, k := try(t, model(bad, bad, calls("echo", `{"text":"fine"}`), bad, bad, bad, says("never")), nil)
	got := k.summary()
	want := []string{"retry:E_SCHEMA:stop", "blocked:protocol", "run_end:blocked"}
	if diff := cmp.Diff(want, got[len(got)-3:]); diff != "" || res.OK {
		t.Errorf("last events (-want +got):\n%s", diff)
	}
	if n := strings.Count(strings.Join(got, " "), "step_started"); n != 6 {
		t.Errorf("%d steps, want 6: a good call in between starts the count anew", n)
	}
}

// A call is the same when its arguments are, however they are written.
func TestRun_SameFailureInOtherWords(t *testing.T) {
	_, k := try(t, model(
		calls("fail", `{"text":"x"}`), calls("fail", ` { "text" : "x" } `), calls("fail", `{"text":"\u0078"}`), calls("fail", `{"text":"x"}`), says("never"),
	), nil)
	if got := strings.Join(k.summary(), " "); len(of[event.ToolExecEnd](k)) != 3 || !strings.HasSuffix(got, "deny:fail:repeat_guard retry:E_POLICY:stop blocked:repeat_call run_end:blocked") {
		t.Errorf("events %s, want three executions, then blocked", got)
	}
}

func TestRun_SixthFailureOfOneToolIsBlocked(t *testing.T) {
	var list []func(context.Context, chat.Request) (chat.Reply, error)
	for i := range 6 {
		list = append(list, calls("fail", fmt.Sprintf(`{"text":"%d"}`, i)))
	}
	_, k := try(t, model(list...), nil)
	got := strings.Join(k.summary(), " ")
	if strings.Count(got, "end:fail:false") != 5 || !strings.HasSuffix(got, "blocked:repeat_tool run_end:blocked") {
		t.Errorf("events %s, want five executions, then blocked", got)
	}
}

func TestRun_ProgressClearsTheGuards(t *testing.T) {
	same, act := calls("fail", `{"text":"x"}`), calls("act", `{"text":"y"}`)
	res, _ := try(t, model(same, same, same, act, same, same, same, act, same, says("done")), nil)
	if !res.OK {
		t.Errorf("Run = %+v, want ok", res)
	}
}

func TestRun_UnreportedTokensAreEstimated(t *testing.T) {
	long := strings.Repeat("x", 4000)
	res, k := try(t, model(says(long)), func(c *Config) { c.Limits.Tokens = 900 })
	if res.ExitReason != "budget_exceeded" || k.end().Usage != nil {
		t.Errorf("Run = %+v with usage %v, want the budget spent and no invented usage", res, k.end().Usage)
	}
}

// A sum of some replies would be a figure below what the run used.
func TestRun_UsageIsKnownWhereEveryReplyReportsIt(t *testing.T) {
	n := number
	echo := chat.ToolCall{ID: "t", Name: "echo", Arguments: `{"text":"x"}`}
	for name, tt := range map[string]struct {
		second chat.Usage
		want   event.Usage
	}{
		"whole":   {chat.Usage{Input: n(20), Output: n(3), Total: n(30)}, event.Usage{Input: n(30), Output: n(5), Total: n(42)}},
		"in part": {chat.Usage{Input: n(20)}, event.Usage{Input: n(30)}},
		"none":    {chat.Usage{}, event.Usage{}},
	} {
		first := chat.Reply{FinishReason: "stop", Usage: chat.Usage{Input: n(10), Output: n(2)}, Calls: []chat.ToolCall{echo}}
		_, k := try(t, model(replies(first), replies(chat.Reply{Text: "done", FinishReason: "stop", Usage: tt.second})), nil)
		if diff := cmp.Diff(&tt.want, k.end().Usage); diff != "" {
			t.Errorf("%s: usage (-want +got):\n%s", name, diff)
		}
	}
}

func TestRun_LengthWithoutCallsKeepsTheText(t *testing.T) {
	res, _ := try(t, model(replies(chat.Reply{Text: "half an", FinishReason: "length"})), nil)
	if res.ExitReason != "budget_exceeded" || res.FinalOutput != "half an" {
		t.Errorf("Run = %+v, want budget_exceeded with the text", res)
	}
}

func TestRun_DeniedCallContinuesOrStops(t *testing.T) {
	deny := policy.Builtin().Narrow(nil, []string{"echo"})
	m := model(calls("echo", `{"text":"x"}`), says("all right"))
	_, k := try(t, m, func(c *Config) { c.Policy = deny })
	wantEvents(t, k, "run_start", "step_started", "tool_call_detected", "deny:echo:flag", "retry:E_POLICY:repair", "step_started", "run_end:ok")
	if tools := of[event.StepStarted](k)[0].AllowedTools; strings.Contains(fmt.Sprint(tools), "echo") {
		t.Errorf("tools on offer: %v, want echo left out", tools)
	}
	res, k := try(t, model(calls("echo", `{"text":"x"}`), says("never")), func(c *Config) { c.Policy, c.StopDeny = deny, true })
	wantEvents(t, k, "run_start", "step_started", "tool_call_detected", "deny:echo:flag", "retry:E_POLICY:stop", "run_end:denied")
	if res.OK || !strings.Contains(res.Error, "echo") {
		t.Errorf("Run = %+v, want denied naming the tool", res)
	}
}

func TestRun_ProviderFailure(t *testing.T) {
	res, k := try(t, model(func(context.Context, chat.Request) (chat.Reply, error) {
		return chat.Reply{}, &chat.Failure{Kind: chat.FailRateLimit, Status: 429, Retryable: true, Message: "slow down sk-test-abcdef"}
	}), nil)
	wantEvents(t, k, "run_start", "step_started", "provider_error", "run_end:provider_error")
	if d := of[event.ProviderError](k)[0]; d.Failure != "rate_limit" || *d.Status != 429 || strings.Contains(written(k.events)+res.Error, "abcdef") {
		t.Errorf("provider_error %v, want the kind, the status and no secret", d)
	}
}

func TestRun_PanicsEndInOneTerminal(t *testing.T) {
	res, k := try(t, model(calls("boom", `{"text":"x"}`), says("survived")), nil)
	if !res.OK || resultOf(k.calls[0]).Error.Kind != tool.KindToolPanicked {
		t.Errorf("a tool's panic: Run = %+v, want a tool error", res)
	}
	res, k = try(t, model(calls("burst", `{"text":"x"}`), says("survived")), nil)
	wantEvents(t, k, "run_start", "step_started", "tool_call_detected", "allow:burst:default", "tool_exec_start", "end:burst:false",
		"retry:E_OTHER:repair", "step_started", "run_end:ok")
	if !res.OK || resultOf(k.calls[0]).Error.Kind != tool.KindToolPanicked || k.calls[0].Rendered == "" {
		t.Errorf("a panic over a tool's output: Run = %+v, want a tool error", res)
	}
	res, k = try(t, model(func(context.Context, chat.Request) (chat.Reply, error) { panic("model") }), nil)
	wantEvents(t, k, "run_start", "step_started", "run_end:internal_error")
	if res.OK || !strings.Contains(res.Error, "model") {
		t.Errorf("a panic elsewhere: Run = %+v, want internal_error", res)
	}
}

func TestRun_CancelledWhileAToolRuns(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	m := model(calls("hang", `{"text":"x"}`, "echo", `{"text":"never"}`))
	k := &recording{}
	cfg := Config{RunID: "r", Prompt: "p", Model: m, Tools: testTools(), Policy: policy.Builtin(), Record: k, Redact: redact.New(nil), Clock: event.NewClock(), Log: slog.New(slog.DiscardHandler)}
	cfg.Sink = sinkFunc(func(e event.Event) error {
		if _, starts := e.Data.(event.ToolExecStart); starts {
			cancel(ErrCancelled)
		}
		return k.Emit(e)
	})
	res := Run(ctx, cfg)
	wantEvents(t, k, "run_start", "step_started", "tool_call_detected", "allow:hang:default", "tool_exec_start", "end:hang:false", "run_end:cancelled")
	if res.Error != "cancelled" || k.outcome.ExitReason != "cancelled" {
		t.Errorf("Run = %+v, record %+v, want cancelled", res, k.outcome)
	}
}

type sinkFunc func(event.Event) error

func (f sinkFunc) Emit(e event.Event) error { return f(e) }

func TestRun_TimeoutNamesTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, k := try(t, model(func(ctx context.Context, _ chat.Request) (chat.Reply, error) {
			<-ctx.Done()
			return chat.Reply{}, ctx.Err()
		}), func(c *Config) { c.Limits.Timeout = time.Minute })
		if res.ExitReason != "timeout" || !strings.Contains(res.Error, "--timeout 1m0s") {
			t.Errorf("Run = %+v, want timeout naming the limit", res)
		}
		wantEvents(t, k, "run_start", "step_started", "run_end:timeout")
	})
}

func TestRun_UndeliveredEventEndsTheRun(t *testing.T) {
	m := model(calls("echo", `{"text":"a"}`), calls("echo", `{"text":"b"}`), says("never"))
	k := &recording{failAt: 7}
	res, _ := try(t, m, func(c *Config) { c.Sink, c.Record = k, k })
	if res.Delivery == nil || res.OK || len(k.events) != 6 {
		t.Errorf("Run = %+v after %d events, want a delivery error and silence after it", res, len(k.events))
	}
	if len(m.requests) > 1 {
		t.Errorf("%d requests, want the run to stop", len(m.requests))
	}
}

func TestRun_UnsavedRecordIsNoSuccess(t *testing.T) {
	k := &recording{saveErr: errors.New("disk is full")}
	res, _ := try(t, model(says("hello")), func(c *Config) { c.Sink, c.Record = k, k })
	if res.OK || k.end().ExitReason != "internal_error" || *k.end().Error != "disk is full" {
		t.Errorf("Run = %+v, end %v, want internal_error", res, k.end())
	}
}

func TestRun_WhatElseCannotBeSavedIsNoSuccess(t *testing.T) {
	for when, list := range map[string]*answers{
		"after a call": model(calls("echo", `{"text":"a"}`), says("never")),
		"at the end":   model(says("done")),
	} {
		asked := 0
		res, k := try(t, list, func(c *Config) {
			c.Saved = func() error {
				if asked++; asked == 1 {
					return nil // before the first step
				}
				return errors.New("event log: disk is full")
			}
		})
		if res.ExitReason != "internal_error" || res.Error != "event log: disk is full" || k.outcome.OK {
			t.Errorf("%s: Run = %+v, recorded %+v, want an internal error", when, res, k.outcome)
		}
		if len(list.requests) != 1 {
			t.Errorf("%s: %d requests, want the run to stop", when, len(list.requests))
		}
	}
}

// What commands changed and nobody could put back is no success.
func TestRun_WhatIsNotPutBackIsNoSuccess(t *testing.T) {
	for want, err := range map[string]error{"ok": nil, "internal_error": errors.New("a hook could not be put back")} {
		res, k := try(t, model(says("done")), func(c *Config) {
			c.Verify = func(context.Context) (_, configs []string, _ error) { return nil, []string{".git/config (x)"}, err }
		})
		if res.ExitReason != want || k.end().ExitReason != want || len(k.end().GitConfig) != 1 {
			t.Errorf("Run = %+v, end %+v, want %s and the configuration", res, k.end(), want)
		}
	}
}

// What cannot be saved at the end does not hide why a run had failed before: the
// first reason is the one to act on.
func TestRun_WhatCannotBeSavedHidesNoFailure(t *testing.T) {
	limited := func(saved func() error) (Result, *recording) {
		return try(t, model(calls("echo", `{"text":"a"}`), says("never")), func(c *Config) {
			c.Limits.Steps, c.Saved = 1, saved
		})
	}
	asked := 0
	limited(func() error { asked++; return nil })
	last := asked
	asked = 0
	res, k := limited(func() error {
		if asked++; asked < last {
			return nil
		}
		return errors.New("event log: disk is full")
	})
	if asked != last || res.ExitReason != "max_steps" || k.end().ExitReason != "max_steps" || k.outcome.ExitReason != "max_steps" {
		t.Errorf("Run = %+v after asking %d of %d times, recorded %+v, want max_steps", res, asked, last, k.outcome)
	}
	messages := &lastMessages{recording: &recording{}}
	failed := func(context.Context, chat.Request) (chat.Reply, error) {
		messages.full = true
		return chat.Reply{}, &chat.Failure{Kind: chat.FailUnauthorized, Message: "no such key"}
	}
	res, _ = try(t, model(failed), func(c *Config) { c.Record = messages })
	if messages.refused == 0 || res.ExitReason != "provider_error" {
		t.Errorf("Run = %+v with %d refused records, want provider_error", res, messages.refused)
	}
}

// lastMessages is a record that takes no messages once it is full.
type lastMessages struct {
	*recording
	full    bool
	refused int
}

func (m *lastMessages) Messages(list []record.Message, sync bool) error {
	if m.full {
		m.refused++
		return errors.New("disk is full")
	}
	return m.recording.Messages(list, sync)
}

func TestRun_SecretsReachNoSink(t *testing.T) {
	const secret = "sk-test-abcdef"
	m := model(calls("echo", `{"text":"`+secret+`"}`), says("the key is "+secret))
	res, k := try(t, m, nil)
	all := written(k.events) + fmt.Sprintf("%+v %s %s", k.calls, k.calls[0].Used, resultOf(k.calls[0]).Result) + res.FinalOutput
	if strings.Contains(all, secret) || !strings.Contains(all, redact.Mask) {
		t.Errorf("a secret shows in events, record or result:\n%s", all)
	}
	if strings.Contains(fmt.Sprint(m.requests[1][3]), secret) {
		t.Errorf("the model is sent the secret back: %v", m.requests[1][3])
	}
}

func TestRun_DeltasDoNotMoveAFixedClock(t *testing.T) {
	talks := func(deltas int) func(context.Context, chat.Request) (chat.Reply, error) {
		return func(_ context.Context, req chat.Request) (chat.Reply, error) {
			for range deltas {
				req.OnDelta("x\n")
			}
			return chat.Reply{Text: "x", FinishReason: "stop"}, nil
		}
	}
	_, few := try(t, model(talks(1)), nil)
	_, many := try(t, model(talks(9)), nil)
	a, b := few.events[len(few.events)-1].Time, many.events[len(many.events)-1].Time
	if !a.Equal(b) {
		t.Errorf("the end is at %s and at %s, want the same", a, b)
	}
}

// resultOf returns the result that the record has of a call.
func resultOf(c record.Call) tool.Result {
	result, _ := tool.DecodeResult(c.Result)
	return result
}

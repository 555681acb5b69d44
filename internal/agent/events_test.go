package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	"github.com/openagent-ci/openagent/internal/tool/result"
)

func number(n int64) *int64 { return &n }

// What each event of a step tells, to the last member.
func TestRun_EventsOfAStep(t *testing.T) {
	turn := replies(chat.Reply{
		Text: "look", FinishReason: "tool_calls", Usage: chat.Usage{Input: number(3), Output: number(2)},
		Calls: []chat.ToolCall{{ID: "c1", Name: "echo", Arguments: `{"text":"a"}`}, {ID: "c2", Name: "fail", Arguments: `{"text":"b"}`}},
	})
	_, k := try(t, model(turn, says("done")), func(c *Config) {
		c.About = event.RunStart{Model: "m", Agent: event.Agent{Name: "n"}}
	})
	for _, want := range []event.Payload{
		event.RunStart{Model: "m", Agent: event.Agent{Name: "n"}},
		event.StepStarted{StepID: "s1", StepIndex: 1, AllowedTools: []string{"act", "boom", "burst", "echo", "fail", "hang"}, EnforcementMode: "policy"},
		event.ModelRequestStart{Messages: 2, Tools: 6},
		event.ModelResponseEnd{FinishReason: "tool_calls", Text: "look", ToolCalls: 2, Usage: &event.Usage{Input: number(3), Output: number(2)}},
		event.ToolCallDetected{
			ToolCallID: "c1", Tool: "echo", Source: "native", Status: "complete",
			Repairs: []string{}, ArgumentsPreview: new(`{"text":"a"}`), ArgumentsBytes: 12, TextPreview: new("look"), TextBytes: number(4),
		},
		event.ToolDecision{ToolCallID: "c1", Tool: "echo", Decision: "allow", Source: "default"},
		event.ToolExecStart{ToolCallID: "c1", Tool: "echo"},
		event.ToolRetry{
			ToolCallID: "c2", Tool: "fail", Attempt: number(1), MaxRetries: number(3), FailureClass: "E_OTHER", Action: "repair", Reason: "no b",
		},
	} {
		i := slices.IndexFunc(k.events, func(e event.Event) bool { return e.Data.Kind() == want.Kind() })
		if diff := cmp.Diff(want, k.events[i].Data); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Kind(), diff)
		}
	}
	ends := of[event.ToolExecEnd](k)
	for i, want := range []event.ToolExecEnd{
		{ToolCallID: "c1", Tool: "echo", OK: true, Status: "success"},
		{ToolCallID: "c2", Tool: "fail", Status: "error", ErrorKind: new("not_found")},
	} {
		want.DurationMS, want.Artifacts = number(0), []event.Artifact{}
		want.Content, want.SummaryText = k.calls[i].Rendered, resultOf(k.calls[i]).SummaryText
		if diff := cmp.Diff(want, ends[i]); diff != "" {
			t.Errorf("end of call %d (-want +got):\n%s", i+1, diff)
		}
	}
	if second := of[event.ModelRequestStart](k)[1]; second.Messages != 5 {
		t.Errorf("second request has %d messages, want 5", second.Messages)
	}
}

// No tool on offer is an empty list, not an unknown one.
func TestRun_StepWithoutTools(t *testing.T) {
	_, k := try(t, model(says("done")), func(c *Config) { c.Tools = tool.NewRegistry() })
	if got := of[event.StepStarted](k)[0].AllowedTools; got == nil || len(got) > 0 {
		t.Errorf("allowed_tools = %#v, want an empty list", got)
	}
}

func TestRun_CallWithoutArguments(t *testing.T) {
	plain := define("plain", false, func(context.Context, tool.Call, struct{}) (did, *tool.Error) { return did{"did it"}, nil })
	m := model(calls("plain", "", "plain", `{ }`), says("done"))
	_, k := try(t, m, func(c *Config) { c.Tools = tool.NewRegistry(plain) })
	found := of[event.ToolCallDetected](k)
	if found[0].ArgumentsPreview != nil || found[0].ArgumentsBytes != 0 || *found[1].ArgumentsPreview != "{ }" {
		t.Errorf("tool calls detected: %v, want null and {} as they were written", found)
	}
	if len(of[event.ToolExecEnd](k)) != 2 || string(k.calls[0].Used) != "{}" {
		t.Errorf("calls %+v, want both executed, the first with {}", k.calls)
	}
	sent := m.requests[1][2].ToolCalls
	if sent[0].Arguments != "{}" || sent[1].Arguments != "{ }" {
		t.Errorf("calls are sent back with %q and %q, want {} for nothing and the other as it was", sent[0].Arguments, sent[1].Arguments)
	}
}

// command defines a tool that ends like a command that printed text: what does
// not fit goes to the artifacts.
func command(status int64, text string, artifacts *result.Artifacts) tool.Tool {
	return define("execute_command", false, func(_ context.Context, call tool.Call, _ struct{}) (ran, *tool.Error) {
		printed := result.NewCapture(call, "stdout", result.Options{MaxCommandOutput: 1000, Artifacts: artifacts})
		_, _ = io.WriteString(printed, text)
		return ran{Status: status, Bytes: int64(len(text)), printed: printed.Stream()}, nil
	})
}

// ran is the outcome of a command, complete and canonical alike.
type ran struct {
	Status    int64           `json:"exit_status"`
	Bytes     int64           `json:"stdout_bytes"`
	Errors    int64           `json:"stderr_bytes"`
	Preview   *string         `json:"stdout_preview"`
	Truncated bool            `json:"truncated"`
	Artifacts []tool.Artifact `json:"artifacts"`
	Artifact  *int            `json:"stdout_artifact"`
	printed   result.Stream
}

func (r ran) Summary() string { return "ran" }

func (r ran) Project() ran {
	p := r.printed.Preview(1000)
	r.Preview, r.Truncated = p.Text, p.Cut
	r.Artifact = p.Refer(&r.Artifacts)
	return r
}

func (r ran) Text() string {
	return result.Section("stdout", r.Preview) + result.References(r.Artifacts, func(int) string { return "" })
}

func TestRun_CommandThatFailsIsReportedWithItsFacts(t *testing.T) {
	text := strings.Repeat("x\n", 3000)
	dir := t.TempDir()
	_, k := try(t, model(calls("execute_command", ""), says("done")), func(c *Config) {
		c.Artifacts = result.NewArtifacts(dir, nil)
		c.Tools = tool.NewRegistry(command(3, text, c.Artifacts))
	})
	got := of[event.ToolExecEnd](k)[0]
	if got.OK || got.Status != "success" || *got.ExitStatus != 3 || !got.OutputTruncated ||
		*got.OutputBytes != int64(len(text)) || len(got.Artifacts) != 1 || got.ErrorKind != nil {
		t.Fatalf("tool_exec_end = %+v, want status 3, %d bytes cut and an artifact", got, len(text))
	}
	path := got.Artifacts[0].Path
	if saved, err := os.ReadFile(filepath.Join(dir, filepath.Base(path))); err != nil || string(saved) != text {
		t.Errorf("artifact %s holds %d bytes, %v, want the whole output", path, len(saved), err)
	}
	if retries := of[event.ToolRetry](k); len(retries) > 0 {
		t.Errorf("retries told: %v, want none for a command that ran", retries)
	}
}

// Output that is kept in artifacts is the same output, wherever it is kept.
func TestRun_SameLongOutputIsTheSameFailure(t *testing.T) {
	text := strings.Repeat("x\n", 3000)
	again := calls("execute_command", "")
	dir := t.TempDir()
	_, k := try(t, model(again, again, again, again, says("never")), func(c *Config) {
		c.Artifacts = result.NewArtifacts(dir, nil)
		c.Tools = tool.NewRegistry(command(1, text, c.Artifacts))
	})
	got := strings.Join(k.summary(), " ")
	if len(of[event.ToolExecEnd](k)) != 3 || !strings.HasSuffix(got, "blocked:repeat_call run_end:blocked") {
		t.Errorf("events %s, want three executions, then blocked", got)
	}
}

func TestRun_ArtifactThatCannotBeSavedIsNoSuccess(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x\n", 3000)
	m := model(calls("execute_command", ""), says("never"))
	res, _ := try(t, m, func(c *Config) {
		c.Artifacts = result.NewArtifacts(filepath.Join(blocked, "x"), nil)
		c.Tools = tool.NewRegistry(command(0, text, c.Artifacts))
	})
	if res.ExitReason != "internal_error" || !strings.HasPrefix(res.Error, "save artifact: ") || len(m.requests) != 1 {
		t.Errorf("Run = %+v after %d requests, want internal_error at once", res, len(m.requests))
	}
}

// refusing is a record that takes no calls.
type refusing struct{ recording }

func (*refusing) Call(record.Call) error { return errors.New("record call: disk is full") }

func TestRun_UnrecordedCallIsNoSuccess(t *testing.T) {
	for name, arguments := range map[string]string{"executed": `{"text":"a"}`, "refused": `{`} {
		m := model(calls("echo", arguments), says("never"))
		res, k := try(t, m, func(c *Config) { c.Record = &refusing{} })
		if res.ExitReason != "internal_error" || res.Error != "record call: disk is full" || len(m.requests) != 1 {
			t.Errorf("%s: Run = %+v after %d requests, want internal_error at once", name, res, len(m.requests))
		}
		if last := k.events[len(k.events)-1].Data.Kind(); last != "run_end" {
			t.Errorf("%s: last event is %s, want run_end", name, last)
		}
	}
}

func TestRun_RecordOfACall(t *testing.T) {
	_, k := try(t, model(calls("echo", ` {"text" : "a"}`, "echo", `{`), says("done")), nil)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	got := k.calls
	if len(got) != 2 || got[0].Step != 1 || got[0].Source != "native" || got[0].Arguments != ` {"text" : "a"}` ||
		string(got[0].Used) != `{"text":"a"}` && string(got[0].Used) != ` {"text" : "a"}` || got[0].Decision != "allow" || got[0].DecidedBy != "default" {
		t.Fatalf("record of the first call: %+v", got)
	}
	if got[1].Used != nil || got[1].Decision != "deny" || got[1].DecidedBy != "argument_check" || got[1].Reason == "" {
		t.Errorf("record of a call that was not understood: %+v, want no arguments used and why", got[1])
	}
	for i, c := range got {
		if !c.Started.Equal(at) || c.DurationMS != 0 {
			t.Errorf("call %d began at %s and took %d ms, want the fixed clock's start", i+1, c.Started, c.DurationMS)
		}
	}
}

func TestRun_TimesOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().Add(5 * time.Second)
		slow := define("slow", false, func(context.Context, tool.Call, struct{}) (did, *tool.Error) {
			time.Sleep(2 * time.Second)
			return did{"did it"}, nil
		})
		first := func(context.Context, chat.Request) (chat.Reply, error) {
			time.Sleep(5 * time.Second)
			return chat.Reply{FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "c", Name: "slow"}}}, nil
		}
		_, k := try(t, model(first, says("done")), func(c *Config) { c.Tools, c.Clock = tool.NewRegistry(slow), event.NewClock() })
		if got := k.calls[0]; !got.Started.Equal(begin) || got.Started.Location() != time.UTC || got.DurationMS != 2000 {
			t.Errorf("record: began %s, took %d ms, want %s and 2000", got.Started, got.DurationMS, begin.UTC())
		}
		if got := *of[event.ToolExecEnd](k)[0].DurationMS; got != 2000 {
			t.Errorf("tool_exec_end: took %v ms, want 2000", got)
		}
		if got := *k.end().DurationMS; got != 7000 || k.outcome.DurationMS != 7000 {
			t.Errorf("run_end: took %v ms, record %d, want 7000", got, k.outcome.DurationMS)
		}
	})
}

func TestRun_SecretsDeepInsideAreMasked(t *testing.T) {
	const secret = "sk-test-abcdef"
	leaky := define("leaky", false, func(context.Context, tool.Call, struct{}) (did, *tool.Error) {
		e := tool.NewError(tool.KindNotFound, "no "+secret)
		e.Details = json.RawMessage(`{"tried":["` + secret + `"]}`)
		return did{}, e
	})
	_, k := try(t, model(calls("leaky", ""), says("done")), func(c *Config) {
		c.Tools = tool.NewRegistry(leaky)
		c.About = event.RunStart{Agent: event.Agent{Name: secret}, Model: secret}
	})
	result := resultOf(k.calls[0])
	all := written(k.events) + fmt.Sprintf("%s %s", result.Error.Message, result.Error.Details)
	if strings.Contains(all, secret) {
		t.Errorf("a secret shows in events or record:\n%s", all)
	}
	if want := `{"tried":["` + redact.Mask + `"]}`; string(result.Error.Details) != want {
		t.Errorf("recorded details are %s, want %s", result.Error.Details, want)
	}
	if got := written(of[event.RunStart](k)[0]); strings.Count(got, redact.Mask) != 2 {
		t.Errorf("run_start is %s, want both places masked", got)
	}
}

// A line end is a gap in a secret, the blank that a summary has instead is none.
func TestRun_SummariesAreMaskedWhole(t *testing.T) {
	leaky := define("leaky", false, func(context.Context, tool.Call, struct{}) (did, *tool.Error) {
		return did{}, tool.NewError(tool.KindNotFound, "no sk-test\n-abcdef\n"+strings.Repeat("x", tool.MaxSummary))
	})
	_, k := try(t, model(calls("leaky", ""), says("done")), func(c *Config) { c.Tools = tool.NewRegistry(leaky) })
	want := "no " + redact.Mask + " x"
	if got := resultOf(k.calls[0]).SummaryText; !strings.HasPrefix(got, want) || len(got) != tool.MaxSummary {
		t.Errorf("the summary is %q, want one line of %d characters from %q on", got, tool.MaxSummary, want)
	}
}

func TestRun_FirstRequest(t *testing.T) {
	var offered []chat.ToolSpec
	look := func(_ context.Context, req chat.Request) (chat.Reply, error) {
		offered = req.Tools
		return chat.Reply{Text: "done", FinishReason: "stop"}, nil
	}
	for task, want := range map[string]string{"": SystemPrompt("", CallsAuto, nil), "Be brief.": "Be brief.\n" + autoInstructions} {
		m := model(look)
		try(t, m, func(c *Config) { c.Task, c.Policy = task, policy.Builtin().Narrow([]string{"e*", "fail"}, nil) })
		messages := []chat.Message{{Role: chat.RoleSystem, Content: want}, {Role: chat.RoleUser, Content: "do it"}}
		if diff := cmp.Diff(fmt.Sprint(messages), fmt.Sprint(m.requests[0])); diff != "" {
			t.Errorf("task %q: first request (-want +got):\n%s", task, diff)
		}
	}
	for mode, end := range map[CallMode]string{"": autoInstructions, CallsAuto: autoInstructions, CallsNative: nativeInstructions, CallsText: textInstructions} {
		if got := SystemPrompt("", mode, nil); got != builtinTask+"\n"+end {
			t.Errorf("SystemPrompt(%q) = %q, want the built-in task and the instructions for tools", mode, got)
		}
	}
	var names []string
	for _, s := range offered {
		names = append(names, s.Name)
		if s.Description != s.Name || !json.Valid(s.Parameters) {
			t.Errorf("tool %s is offered as %q with %s", s.Name, s.Description, s.Parameters)
		}
	}
	if diff := cmp.Diff([]string{"echo", "fail"}, names); diff != "" {
		t.Errorf("tools on offer (-want +got):\n%s", diff)
	}
}

// A limit that is reached is not yet passed.
func TestRun_LimitsAreExact(t *testing.T) {
	spend := func(text string, n int64, list ...chat.ToolCall) func(context.Context, chat.Request) (chat.Reply, error) {
		return replies(chat.Reply{Text: text, FinishReason: "stop", Calls: list, Usage: chat.Usage{Input: number(n)}})
	}
	echo := chat.ToolCall{ID: "t", Name: "echo", Arguments: `{"text":"x"}`}
	for name, tt := range map[string]struct {
		edit     func(*Config)
		reason   string
		text     string
		requests int
		executed int
	}{
		"tokens, reached":     {func(c *Config) { c.Limits.Tokens = 30 }, "ok", "", 3, 2},
		"tokens, passed":      {func(c *Config) { c.Limits.Tokens = 29 }, "budget_exceeded", "--max-tokens 29", 3, 2},
		"steps, reached":      {func(c *Config) { c.Limits.Steps = 3 }, "ok", "", 3, 2},
		"steps, passed":       {func(c *Config) { c.Limits.Steps = 2 }, "max_steps", "--max-steps 2", 2, 2},
		"tool calls, reached": {func(c *Config) { c.Limits.ToolCalls = 2 }, "ok", "", 3, 2},
		"tool calls, passed":  {func(c *Config) { c.Limits.ToolCalls = 1 }, "budget_exceeded", "--max-tool-calls 1", 2, 1},
		"none":                {func(c *Config) { c.Limits = Limits{} }, "ok", "", 3, 2},
	} {
		m := model(spend("", 10, echo), spend("", 10, echo), spend("done", 10))
		res, k := try(t, m, tt.edit)
		if res.ExitReason != tt.reason || k.end().ExitReason != tt.reason || !strings.Contains(res.Error, tt.text) || len(m.requests) != tt.requests || len(of[event.ToolExecStart](k)) != tt.executed {
			t.Errorf("%s: Run = %+v after %d requests and %d executions, want %s (%s), %d, %d",
				name, res, len(m.requests), len(of[event.ToolExecStart](k)), tt.reason, tt.text, tt.requests, tt.executed)
		}
		found := len(of[event.ToolCallDetected](k)) // the denied one too
		if k.outcome.Steps != tt.requests || k.outcome.ToolCalls != found || *k.end().Steps != int64(tt.requests) || *k.end().ToolCalls != int64(found) {
			t.Errorf("%s: recorded %+v, told %v, want %d steps and %d calls", name, k.outcome, k.end(), tt.requests, found)
		}
	}
}

func TestRun_FailureKeepsTheTextThatCame(t *testing.T) {
	fails := func(partial string) func(context.Context, chat.Request) (chat.Reply, error) {
		return func(context.Context, chat.Request) (chat.Reply, error) {
			return chat.Reply{Text: partial}, &chat.Failure{Kind: chat.FailConnection, Message: "reset"}
		}
	}
	before := replies(chat.Reply{Text: "before", FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "c", Name: "echo", Arguments: `{"text":"a"}`}}})
	for partial, want := range map[string]string{"": "before", "half an": "half an"} {
		res, k := try(t, model(before, fails(partial)), nil)
		if res.ExitReason != "provider_error" || res.FinalOutput != want || k.end().FinalOutput != want {
			t.Errorf("Run after %q = %+v, want the output %q", partial, res, want)
		}
		seen := event.ProviderError{Failure: "connection", MessageShort: "reset"}
		if diff := cmp.Diff(seen, of[event.ProviderError](k)[0]); diff != "" {
			t.Errorf("provider_error (-want +got):\n%s", diff)
		}
	}
}

// The last text of a run that is stopped is what the model said last, be it
// half a reply, or one before a reply that is nothing but calls.
func TestRun_StoppedRunKeepsTheLastText(t *testing.T) {
	said := replies(chat.Reply{Text: "said", FinishReason: "tool_calls", Calls: []chat.ToolCall{{Name: "echo", Arguments: `{"text":"a"}`}}})
	res, _ := try(t, model(said, calls("echo", `{"text":"b"}`)), func(c *Config) { c.Limits.Steps = 2 })
	if res.ExitReason != "max_steps" || res.FinalOutput != "said" {
		t.Errorf("Run = %+v, want max_steps with the text before the last calls", res)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	half := func(context.Context, chat.Request) (chat.Reply, error) {
		cancel(ErrCancelled)
		return chat.Reply{Text: "half"}, ctx.Err()
	}
	res, _ = tryIn(ctx, model(said, half), nil)
	if res.ExitReason != "cancelled" || res.FinalOutput != "half" {
		t.Errorf("Run = %+v, want cancelled with the half reply", res)
	}
}

func TestRun_OtherErrorsOfAModelAreInternal(t *testing.T) {
	res, k := try(t, model(func(context.Context, chat.Request) (chat.Reply, error) {
		return chat.Reply{}, errors.New("encode request: broken")
	}), nil)
	wantEvents(t, k, "run_start", "step_started", "run_end:internal_error")
	if res.Error != "encode request: broken" {
		t.Errorf("Run = %+v, want the cause", res)
	}
}

func TestRun_EndSaysWhereTheWholeOutputLies(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		record bool
		want   *string
	}{"recorded": {"hello", true, new(record.FinalOutputName)}, "empty": {"", true, nil}, "no record": {"hello", false, nil}} {
		_, k := try(t, model(calls("echo", `{"text":"a"}`), says(tt.text)), func(c *Config) {
			if !tt.record {
				c.Record = nil
			}
		})
		if diff := cmp.Diff(tt.want, k.end().FinalOutputArtifact); diff != "" {
			t.Errorf("%s: final_output_artifact (-want +got):\n%s", name, diff)
		}
	}
}

func TestRun_EndsToolsOnceBeforeItEnds(t *testing.T) {
	k := &recording{}
	var ended []int // events told by then
	_, _ = try(t, model(says("done")), func(c *Config) {
		c.Sink, c.Record = k, k
		c.EndTools = func() {
			ended = append(ended, len(k.events))
			if k.outcome != nil {
				t.Error("the record is closed before leftovers are ended")
			}
		}
	})
	if diff := cmp.Diff([]int{len(k.events) - 1}, ended); diff != "" {
		t.Errorf("ended after so many events (-want +got):\n%s", diff)
	}
}

func TestRun_UnknownToolListsTheOthers(t *testing.T) {
	m := model(calls(strings.Repeat("é", 200), `{}`), says("done"))
	try(t, m, func(c *Config) { c.Policy = policy.Builtin().Narrow([]string{"echo", "act"}, nil) })
	got := m.requests[1][3].Content
	if !strings.Contains(got, `there is no tool "`+strings.Repeat("é", 50)+`"; the tools are act, echo`) {
		t.Errorf("the model is told %q, want the name cut and the tools on offer", got)
	}
}

func TestRun_RetryOfARequestIsReported(t *testing.T) {
	m := model(func(_ context.Context, req chat.Request) (chat.Reply, error) {
		req.OnRetry(chat.Retry{Attempt: 1, MaxAttempts: 4, Backoff: 1500 * time.Millisecond, Failure: &chat.Failure{Kind: chat.FailServer, Status: 503}})
		req.OnRetry(chat.Retry{Attempt: 2, MaxAttempts: 4, Failure: &chat.Failure{Kind: chat.FailConnection}})
		return chat.Reply{Text: "done", FinishReason: "stop"}, nil
	})
	_, k := try(t, m, nil)
	want := []event.ProviderRetry{
		{Attempt: number(1), MaxAttempts: number(4), Failure: "server", Status: number(503), BackoffMS: number(1500)},
		{Attempt: number(2), MaxAttempts: number(4), Failure: "connection", BackoffMS: number(0)},
	}
	if diff := cmp.Diff(want, of[event.ProviderRetry](k)); diff != "" {
		t.Errorf("provider_retry (-want +got):\n%s", diff)
	}
	if deltas := of[event.ModelDelta](k); len(deltas) > 0 {
		t.Errorf("deltas %v, want none where no text came", deltas)
	}
}

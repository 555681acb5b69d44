package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/toolcall"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

const echoInText = "First:\nTOOL_CALL:\n{\"tool\": \"echo\", \"arguments\": {\"text\": \"a\"}}"

func TestRun_CallsInText(t *testing.T) {
	m := model(says(echoInText+"\nTOOL_CALL:\n{'tool': 'fail', 'arguments': {'text': 'b'}}"), says("done"))
	res, k := try(t, m, nil)
	wantEvents(t, k, "run_start", "step_started",
		"tool_call_detected", "allow:echo:default", "tool_exec_start", "end:echo:true",
		"tool_call_detected", "allow:fail:default", "tool_exec_start", "end:fail:false", "retry:E_OTHER:repair",
		"step_started", "run_end:ok")
	found := of[event.ToolCallDetected](k)
	for i, want := range []event.ToolCallDetected{
		{ToolCallID: "call_1_0", Tool: "echo", Source: "marker", Status: "complete", Repairs: []string{}, ArgumentsPreview: new(`{"text": "a"}`), ArgumentsBytes: 13, TextPreview: new("First:"), TextBytes: new(int64(6))},
		{ToolCallID: "call_1_1", Tool: "fail", Index: 1, Source: "marker", Status: "complete", Repaired: true, Repairs: []string{"other_quotes"}, ArgumentsPreview: new(`{"text":"b"}`), ArgumentsBytes: 12},
	} {
		if diff := cmp.Diff(want, found[i]); diff != "" {
			t.Errorf("call %d (-want +got):\n%s", i, diff)
		}
	}
	if !res.OK || res.FinalOutput != "done" || k.calls[0].Source != "marker" {
		t.Errorf("Run = %+v, recorded source %q", res, k.calls[0].Source)
	}
}

// The results go back in one message that names each tool and call, and the
// model's own text goes back as it was.
func TestRun_ResultsOfCallsInText(t *testing.T) {
	text := echoInText + "\nTOOL_CALL:\n{\"tool\": \"fail\", \"arguments\": {\"text\": \"b\"}}"
	m := model(says(text), says("done"))
	try(t, m, nil)
	got := m.requests[1][2:]
	if len(got) != 2 || got[0].Role != chat.RoleAssistant || got[0].Content != text || got[0].ToolCalls != nil {
		t.Fatalf("second request = %+v, want the text as it was and one message of results", got)
	}
	seen := got[1]
	first, second, _ := strings.Cut(seen.Content, "\n\nResult of call call_1_1 (fail):\nError (not_found): no b")
	if seen.Role != chat.RoleUser || seen.ToolCallID != "" || !strings.HasPrefix(first, "Result of call call_1_0 (echo):\n") || second == "" {
		t.Errorf("results = %+v, want both, named", seen)
	}
}

// An id that the model wrote is kept, unless the run has it.
func TestRun_IDsOfCallsInText(t *testing.T) {
	const text = `<|tool_call_begin|>functions.echo:0<|tool_call_argument_begin|>{"text": "a"}<|tool_call_end|>`
	m := model(says(text), says(text), says("done"))
	_, k := try(t, m, nil)
	found := of[event.ToolCallDetected](k)
	if len(found) != 2 || found[0].ToolCallID != "functions.echo:0" || found[1].ToolCallID != "call_2_0" {
		t.Errorf("calls = %+v, want the model's id, then one of the run", found)
	}
	if got := m.requests[1][3].Content; !strings.HasPrefix(got, "Result of call functions.echo:0 (echo):") {
		t.Errorf("result = %q, want it under the model's id", got)
	}
}

func TestRun_CallsInTextThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, finish, status, want string }{
		"cut string":   {`TOOL_CALL:` + "\n" + `{"tool": "act", "arguments": {"text": "half`, "length", "incomplete", "Error (tool_call_incomplete): a call of act was understood, but it ends inside a text value of text"},
		"cut braces":   {`TOOL_CALL:` + "\n" + `{"tool": "act", "arguments": {"text": "all"}`, "length", "incomplete", "the reply was cut before the closing }"},
		"two meanings": {`TOOL_CALL:` + "\n" + `{"tool": "act", "arguments": {"text": "say "hi""}}`, "stop", "malformed", "Error (tool_call_malformed): a call of act was understood, but the text value of text holds quotes"},
		"no object":    {`TOOL_CALL:` + "\n" + `{"tool": "act", "arguments": 7}`, "stop", "malformed", "its arguments are a number, not an object"},
	} {
		m := model(replies(chat.Reply{Text: c.text, FinishReason: c.finish}), says("gave up"))
		_, k := try(t, m, nil)
		if diff := cmp.Diff([]string{"run_start", "step_started", "tool_call_detected", "deny:act:argument_check", "retry:E_SCHEMA:repair", "step_started", "run_end:ok"}, k.summary()); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", name, diff)
			continue
		}
		seen := m.requests[1][3].Content
		if !strings.Contains(seen, c.want) || !strings.Contains(seen, "Hint: "+textHint) || of[event.ToolCallDetected](k)[0].Status != c.status {
			t.Errorf("%s: the model is told %q of %v, want %q and how to send it", name, seen, of[event.ToolCallDetected](k)[0], c.want)
		}
		if back := m.requests[1][2]; back.Content != c.text || back.ToolCalls != nil {
			t.Errorf("%s: the reply goes back as %+v, want its text alone", name, back)
		}
	}
}

func TestRun_TextAboutCallsEndsTheRun(t *testing.T) {
	for _, text := range []string{
		"I would call echo with {\"text\": \"a\"}.", "Write TOOL_CALL: and an object.", "`{\"tool\": ..., \"arguments\": ...}` is the form.",
	} {
		res, k := try(t, model(says(text)), nil)
		wantEvents(t, k, "run_start", "step_started", "run_end:ok")
		if res.FinalOutput != text {
			t.Errorf("Run of %q = %+v, want it as the answer", text, res)
		}
	}
}

func TestRun_ModesOfCalls(t *testing.T) {
	var offered int
	look := func(text string) *answers {
		return model(func(_ context.Context, req chat.Request) (chat.Reply, error) {
			offered = len(req.Tools)
			return chat.Reply{Text: text, FinishReason: "stop"}, nil
		}, says("done"))
	}
	for mode, want := range map[CallMode]struct {
		offers   bool
		executed int
	}{CallsNative: {true, 0}, CallsAuto: {true, 1}, CallsText: {false, 1}} {
		_, k := try(t, look(echoInText), func(c *Config) { c.Calls = mode })
		if got := len(of[event.ToolExecStart](k)); got != want.executed || offered > 0 != want.offers {
			t.Errorf("mode %s: %d executed, %d tools offered, want %d, offered %v", mode, got, offered, want.executed, want.offers)
		}
	}
	// A reply that has native calls is not searched for others.
	reply := chat.Reply{Text: echoInText, FinishReason: "tool_calls", Calls: []chat.ToolCall{{ID: "n", Name: "act", Arguments: `{"text":"x"}`}}}
	_, k := try(t, model(replies(reply), says("done")), nil)
	if got := of[event.ToolCallDetected](k); len(got) != 1 || got[0].Tool != "act" || got[0].Source != "native" {
		t.Errorf("calls = %v, want the native one alone", got)
	}
}

// The prompt of text mode lists what is on offer, and its own example calls
// nothing when a model says it back.
func TestSystemPrompt_TextMode(t *testing.T) {
	var specs []chat.ToolSpec
	for _, s := range testTools().Specs() {
		specs = append(specs, chat.ToolSpec{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	prompt := SystemPrompt("", CallsText, specs)
	if !strings.Contains(prompt, "\necho: echo\n- text (string, required)\n") {
		t.Errorf("prompt lacks echo with its argument:\n%s", prompt)
	}
	for _, phrase := range []string{"line of its own", `"tool" is a string`, `"arguments" is an object`, "double quotes", "Close every string", "no comma before a closing", "Several calls", "<"} {
		if strings.Contains(prompt, phrase) == (phrase == "<") {
			t.Errorf("prompt and %q: want the rules told and no tags taught", phrase)
		}
	}
	_, k := try(t, model(says(prompt), says("done")), func(c *Config) { c.Calls = CallsText })
	if got := len(of[event.ToolExecStart](k)); got != 0 {
		t.Errorf("%d calls executed of the prompt said back, want none", got)
	}
	for _, c := range toolcall.Parse(prompt, toolcall.Options{Tools: specs, FinishReason: "stop"}).Calls {
		if _, ok := testTools().Lookup(c.Tool); ok {
			t.Errorf("the prompt's example calls %s", c.Tool)
		}
	}
}

func TestSystemPrompt_DescribesArguments(t *testing.T) {
	spec := chat.ToolSpec{Name: "n", Description: " does n\n", Parameters: []byte(
		`{"properties":{"z":{"type":"integer","default":7},"a":{"type":"string","description":"what"}},"required":["a"]}`)}
	got := describe([]chat.ToolSpec{spec, {Name: "none", Description: "d", Parameters: []byte(`{"properties":{}}`)}})
	want := "\nn: does n\n- z (integer, optional) (default: 7)\n- a (string, required): what\n\nnone: d\n- no arguments\n"
	if got != want {
		t.Errorf("describe = %q, want %q", got, want)
	}
}

// A tool that is not on offer is not described, and a call of it is denied like
// any other: the model is not told that there is no such tool.
func TestRun_CallsInTextOfToolsNotOnOffer(t *testing.T) {
	for _, text := range []string{`{"tool": "act", "arguments": {"text": "x"}}`, "<tool_call>{\"name\": \"act\", \"arguments\": {\"text\": \"x\"}}</tool_call>"} {
		m := model(says(text), says("done"))
		_, k := try(t, m, func(c *Config) {
			c.Calls, c.Policy = CallsText, policy.Builtin().Narrow([]string{"echo"}, nil)
		})
		prompt := m.requests[0][0].Content
		if strings.Contains(prompt, "\nact: ") || !strings.Contains(prompt, "\necho: ") {
			t.Errorf("the prompt lists more or less than what is on offer:\n%s", prompt)
		}
		decided := of[event.ToolDecision](k)
		if len(decided) != 1 || decided[0].Decision != "deny" || decided[0].Source == "argument_check" || len(of[event.ToolExecStart](k)) != 0 {
			t.Errorf("Run of %q decides %v, want it denied by the policy", text, decided)
		}
		if seen := m.requests[1][3].Content; !strings.Contains(seen, "Error (policy_denied)") {
			t.Errorf("Run of %q tells %q, want policy_denied", text, seen)
		}
	}
}

// What is beyond the bound of a message is told and not executed.
func TestRun_CallsInTextBeyondTheBound(t *testing.T) {
	var text strings.Builder
	for i := range toolcall.MaxCalls + 1 {
		fmt.Fprintf(&text, "TOOL_CALL:\n{\"tool\": \"echo\", \"arguments\": {\"text\": \"%d\"}}\n", i)
	}
	m := model(says(text.String()), says("done"))
	res, k := try(t, m, nil)
	if got := len(of[event.ToolExecStart](k)); got != toolcall.MaxCalls || !res.OK {
		t.Errorf("Run = %+v with %d executed, want %d", res, got, toolcall.MaxCalls)
	}
	last := of[event.ToolCallDetected](k)[toolcall.MaxCalls]
	if last.Status != "malformed" || !strings.Contains(m.requests[1][3].Content, "more than 64 calls") {
		t.Errorf("the last call is told as %v, want it malformed and the model told why", last)
	}
}

func TestRun_TooManyMisunderstoodCallsInText(t *testing.T) {
	bad := "TOOL_CALL:\n{\"tool\": \"echo\", \"arguments\": 7}\n"
	res, k := try(t, model(says(strings.Repeat(bad, 3))), nil)
	if res.ExitReason != "blocked" || len(of[event.ToolExecStart](k)) != 0 || len(of[event.ToolCallDetected](k)) != 3 {
		t.Errorf("Run = %+v after %d calls, want blocked at the third", res, len(of[event.ToolCallDetected](k)))
	}
	if fmt.Sprint(resultOf(k.calls[2]).Error.Kind) != string(tool.KindCallMalformed) {
		t.Errorf("recorded %+v, want %s", resultOf(k.calls[2]).Error, tool.KindCallMalformed)
	}
}

// Results of calls in text are shortened in their places like any other; the
// line that names them stays.
func TestCompact_ResultsOfCallsInText(t *testing.T) {
	m := &answers{}
	for i := range 3 {
		text := ""
		for k := range 2 {
			text += fmt.Sprintf("TOOL_CALL:\n{\"tool\": \"read_file\", \"arguments\": {\"text\": \"%c\"}}\n", 'a'+2*i+k)
		}
		m.list = append(m.list, says(text))
	}
	m.list = append(m.list, says("done"))
	try(t, m, func(c *Config) { c.Tools, c.MaxContext = pages(), 5000 })
	seen := m.requests[3][3].Content
	for _, name := range []string{"a", "b"} {
		want := "(read_file):\nEarlier result, shortened: read_file (success): page " + name
		if strings.Count(seen, want) != 1 {
			t.Errorf("first results are %q, want %q in them", seen, want)
		}
	}
	if last := m.requests[3][7].Content; strings.Contains(last, "shortened") || !strings.HasPrefix(last, "Result of call call_3_0 (read_file):\n") {
		t.Errorf("last results are %.80q, want them whole", last)
	}
}

// Markup of a call that is not read is no answer: the model is told, also where
// text is never read for calls, and a run whose last text still is one has failed.
func TestRun_LeakedCalls(t *testing.T) {
	const leak = `echo[ARGS]{"text": "x"}`
	for mode, hint := range map[CallMode]string{CallsAuto: textHint, CallsText: textHint, CallsNative: nativeHint} {
		inMode := func(c *Config) { c.Calls = mode }
		m := model(says(leak), says("done"))
		res, k := try(t, m, inMode)
		if !res.OK || res.FinalOutput != "done" || len(of[event.ToolExecStart](k)) != 0 {
			t.Errorf("mode %s: Run = %+v, want the later answer", mode, res)
		}
		if told := m.requests[1][len(m.requests[1])-1].Content; !strings.Contains(told, "Error (tool_call_malformed)") || !strings.Contains(told, hint) {
			t.Errorf("mode %s: the model reads %q, want that its call was malformed", mode, told)
		}
		res, k = try(t, model(says(leak), says(leak), says(leak)), inMode)
		end := of[event.RunEnd](k)[0]
		if res.ExitReason != "provider_error" || end.ErrorCode == nil || *end.ErrorCode != "leaked_tool_call" || len(of[event.ProviderError](k)) != 1 {
			t.Errorf("mode %s: Run = %+v, %+v, want provider_error by leaked_tool_call", mode, res, end)
		}
		res, _ = try(t, model(says("GLM writes `"+leak+"` itself.")), inMode)
		if !res.OK {
			t.Errorf("mode %s: Run = %+v, want quoted markup to be an answer", mode, res)
		}
	}
}

package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// copilotLine is a line of copilot's, n milliseconds after 20:00.
func copilotLine(kind string, n int, data string) string {
	return fmt.Sprintf(`{"type":%q,"data":%s,"id":"i","timestamp":"2026-11-20T20:00:%02d.%03dZ","parentId":"p"}`, kind, data, n/1000, n%1000)
}

// piece is an ephemeral line.
func piece(kind string, n int, data string) string {
	return strings.Replace(copilotLine(kind, n, data), `"id"`, `"ephemeral":true,"id"`, 1)
}

// copilotResult is the last line.
func copilotResult(exit string) string {
	return `{"type":"result","timestamp":"2026-11-20T20:00:09.000Z","sessionId":"s-1","exitCode":` + exit + `,"usage":{"sessionDurationMs":7}}`
}

// copilotCall has the lines of a call up to its begin, copilotDone that of its end.
func copilotCall() []string {
	return []string{
		copilotLine("assistant.message", 3, `{"content":"I run it.","toolRequests":[{"toolCallId":"c1","name":"bash","arguments":{"command":"ls"}}]}`),
		copilotLine("tool.execution_start", 4, `{"toolCallId":"c1","toolName":"bash","arguments":{"command":"ls"}}`),
	}
}

func copilotDone(data string) string {
	return copilotLine("tool.execution_complete", 5, `{"toolCallId":"c1",`+data+`}`)
}

var (
	copilotFirst = piece("session.skills_loaded", 0, `{"skills":[]}`)
	copilotModel = piece("session.tools_updated", 1, `{"model":"m-1"}`)
	copilotTurn  = copilotLine("assistant.turn_start", 2, `{"turnId":"0"}`)
	copilotEnd   = copilotResult("0")
)

const (
	copilotStep     = `1 step_started step_id="0"`
	copilotDetected = `1 tool_call_detected arguments_bytes=16 arguments_preview="{\"command\":\"ls\"}" source="native" status="complete" text_bytes=9 text_preview="I run it." tool="bash" tool_call_id="c1"`
	copilotAllowed  = `1 tool_decision decision="allow" source="inferred" tool="bash" tool_call_id="c1"`
	copilotStarted  = `1 tool_exec_started tool="bash" tool_call_id="c1"`
	ofCall          = ` tool="bash" tool_call_id="c1"`
	copilotOK       = `duration_ms=7 exit_reason="ok" ok=true`
)

func TestCopilot_Calls(t *testing.T) {
	called := []string{copilotStep, copilotDetected, copilotAllowed, copilotStarted}
	for _, m := range []struct{ name, complete, want string }{
		{"success", `"success":true,"shellExecution":{"exitCode":0},"result":{"content":"a\nb\n<shellId: 0 completed with exit code 0>","detailedContent":"no"}`,
			`content_preview="a\nb\n" duration_ms=1 exit_status=0 ok=true status="success"`},
		{"an exit status", `"success":true,"shellExecution":{"exitCode":3},"result":{"content":"<shellId: 0 completed with exit code 3>"}`,
			`duration_ms=1 exit_status=3 ok=false status="success"`},
		{"an exit status without success", `"success":false,"shellExecution":{"exitCode":1},"result":{"content":"x"}`,
			`content_preview="x" duration_ms=1 exit_status=1 ok=false status="success"`},
		{"no exit status", `"success":true,"result":{"content":"x\nshellId: 0 still runs"}`,
			`content_preview="x\nshellId: 0 still runs" duration_ms=1 error_kind="interrupted" ok=false status="error"`},
		{"output that copilot cut", `"success":true,"shellExecution":{"exitCode":0},"result":{"content":"Output too large to read at once (164.9 KB). x"}`,
			`content_preview="Output too large to read at once (164.9 KB). x" duration_ms=1 exit_status=0 ok=true output_truncated=true status="success"`},
		{"an error", `"success":false,"error":{"message":"Tool 'x' does not exist.","code":"failure"}`,
			`content_preview="Tool 'x' does not exist." duration_ms=1 error_kind="failure" ok=false status="error"`},
	} {
		source := append([]string{copilotModel, copilotTurn}, append(copilotCall(), copilotDone(m.complete), copilotEnd)...)
		finished := "1 tool_exec_finished " + m.want + ofCall
		testMappings(t, "copilot", copilotFirst, []mapping{{m.name, source, exited(0), emit.Success,
			append(called[:len(called):len(called)], finished, `1 run_finished `+copilotOK+` steps=1 tool_calls=1`)}})
	}
	denied := `Permission denied because no interactive user response was available. Retry.`
	testMappings(t, "copilot", copilotFirst, []mapping{
		{"nobody to allow it", append([]string{copilotModel, copilotTurn}, append(copilotCall(), copilotDone(`"success":false,"error":{"message":"`+denied+`","code":"denied"}`), copilotEnd)...), exited(0), emit.Success,
			append(called[:2:2], `1 tool_decision decision="deny" reason="`+denied+`" source="copilot"`+ofCall,
				`1 step_blocked code="denied" reason="`+denied+`" step_id="0" tool="bash"`, `1 run_finished `+copilotOK+` steps=1 tool_calls=1`)},
		{"unfinished", append([]string{copilotModel, copilotTurn}, copilotCall()...), signalled(2), emit.Crash,
			append(called[:4:4], `1 tool_exec_finished error_kind="interrupted" ok=false status="error"`+ofCall,
				`1 run_finished error="signal 2 ended the agent" error_code="signal_2" exit_reason="cancelled" ok=false steps=1 tool_calls=1`)},
		{"asked for and never begun", []string{copilotModel, copilotTurn, copilotCall()[0]}, signalled(15), emit.Crash,
			[]string{copilotStep, copilotDetected, `1 run_finished error="signal 15 ended the agent" error_code="signal_15" exit_reason="cancelled" ok=false steps=1 tool_calls=1`}},
		{"the end alone", []string{copilotModel, copilotTurn, copilotDone(`"success":true`), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, `1 tool_call_detected source="native" status="complete" tool_call_id="c1"`, `1 tool_decision decision="allow" source="inferred" tool_call_id="c1"`,
				`1 tool_exec_started tool_call_id="c1"`, `1 tool_exec_finished ok=true status="success" tool_call_id="c1"`, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=1`}},
	})
}

func TestCopilot_Permissions(t *testing.T) {
	answer := func(kind, source string) []string {
		calls := copilotCall()
		return []string{copilotModel, copilotTurn, calls[0],
			copilotLine("permission.requested", 3, `{"requestId":"r"}`),
			copilotLine("permission.completed", 3, `{"requestId":"r","toolCallId":"c1","result":{"kind":"`+kind+`"}`+source+`}`),
			calls[1], copilotDone(`"success":false,"error":{"message":"no","code":"denied"}`), copilotEnd}
	}
	denied := []string{copilotStep, copilotDetected, `1 tool_decision decision="deny" reason="denied-by-rules" source="host_policy"` + ofCall, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=1`}
	const nobody = "denied-no-approval-rule-and-could-not-request-from-user"
	testMappings(t, "copilot", copilotFirst, []mapping{
		{"approved", append(answer("approved", `,"decisionSource":"human_response"`)[:6:6], copilotDone(`"success":true,"shellExecution":{"exitCode":0}`), copilotEnd), exited(0), emit.Success,
			[]string{copilotStep, copilotDetected, `1 tool_decision decision="allow" reason="approved" source="human_response"` + ofCall, copilotStarted,
				`1 tool_exec_finished duration_ms=1 exit_status=0 ok=true status="success"` + ofCall, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=1`}},
		{"denied", answer("denied-by-rules", `,"decisionSource":"host_policy"`), exited(0), emit.Success, denied},
		{"denied by nobody", answer(nobody, ""), exited(0), emit.Success,
			[]string{copilotStep, copilotDetected, `1 tool_decision decision="deny" reason="` + nobody + `" source="copilot"` + ofCall,
				`1 step_blocked code="denied" reason="` + nobody + `" step_id="0" tool="bash"`, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=1`}},
		{"cancelled without anybody", answer("cancelled", `,"decisionSource":"unattended_fallback"`), exited(0), emit.Success,
			[]string{copilotStep, copilotDetected, `1 tool_decision decision="deny" reason="cancelled" source="unattended_fallback"` + ofCall,
				`1 step_blocked code="denied" reason="cancelled" step_id="0" tool="bash"`, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=1`}},
	})
}

func TestCopilot_Requests(t *testing.T) {
	failed := func(n int, data string) string { return piece("model.call_failure", n, data) }
	again := func(n int) string { return piece("assistant.turn_retry", n, `{"turnId":"0","reason":"x"}`) }
	problem := func(data string) []string {
		return []string{copilotModel, copilotTurn, failed(3, `{"statusCode":500,"retryAttempt":0}`), copilotLine("session.error", 4, data), copilotResult("1")}
	}
	testMappings(t, "copilot", copilotFirst, []mapping{
		{"retries", []string{copilotModel, copilotTurn, failed(3, `{"statusCode":429,"retryAttempt":0,"failureKind":"api"}`), piece("model.call_finished", 4, `{}`), again(1203),
			failed(1300, `{"failureKind":"transport","retryAttempt":1}`), again(2300), again(2400), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, `1 provider_retry attempt=1 backoff_ms=1200 kind="rate_limit" status=429`, `1 provider_retry attempt=2 backoff_ms=1000 kind="connection"`,
				`1 provider_retry`, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=0`}},
		{"a failure of the turn before", []string{copilotModel, copilotTurn, failed(3, `{"statusCode":429}`), copilotLine("assistant.turn_start", 4, `{"turnId":"1"}`),
			piece("assistant.turn_retry", 9, `{"turnId":"1"}`), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, `2 step_started step_id="1"`, `2 provider_retry`, `2 run_finished ` + copilotOK + ` steps=2 tool_calls=0`}},
		{"another turn's retry", []string{copilotModel, copilotTurn, failed(3, `{"statusCode":429}`), piece("assistant.turn_retry", 9, `{"turnId":"7"}`), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, `1 provider_retry`, `1 run_finished ` + copilotOK + ` steps=1 tool_calls=0`}},
	})
	for _, m := range []struct{ data, kind string }{
		{`"errorType":"query","statusCode":400`, `kind="client" status=400`},
		{`"errorType":"authentication","statusCode":401`, `kind="unauthorized" status=401`},
		{`"errorType":"authentication"`, `kind="unauthorized"`},
		{`"errorType":"query","statusCode":500`, `kind="server" status=500`},
		{`"errorType":"query"`, `kind="connection"`},
		{`"errorType":"rate_limit"`, `kind="rate_limit"`},
		{`"errorType":"quota"`, `kind="quota"`},
		{`"errorType":"context_limit"`, ``},
		{`"url":"u"`, `kind="connection"`},
	} {
		want := `1 provider_error ` + strings.Replace(m.kind, " status", ` message_short="m" status`, 1)
		if !strings.Contains(want, "message_short") {
			want = strings.TrimRight(want, " ") + ` message_short="m"`
		}
		testMappings(t, "copilot", copilotFirst, []mapping{{m.data, problem(`{` + m.data + `,"message":"m"}`), exited(1), emit.Failure,
			[]string{copilotStep, want, `1 run_finished duration_ms=7 error="m" exit_reason="provider_error" ok=false steps=1 tool_calls=0`}}})
	}
	answer := copilotLine("assistant.message", 6, `{"content":"done","toolRequests":[]}`)
	testMappings(t, "copilot", copilotFirst, []mapping{
		{"an error that did not end the run", append(problem(`{"errorType":"query","message":"m"}`)[:4:4], answer, copilotEnd), exited(0), emit.Success,
			[]string{copilotStep, `1 provider_error kind="connection" message_short="m"`, `1 run_finished duration_ms=7 exit_reason="ok" final_output="done" ok=true steps=1 tool_calls=0`}},
		{"an error behind a status of 0", append(problem(`{"errorType":"query","message":"m"}`)[:4:4], copilotEnd), exited(0), emit.Failure,
			[]string{copilotStep, `1 provider_error kind="connection" message_short="m"`, `1 run_finished duration_ms=7 error="m" exit_reason="provider_error" ok=false steps=1 tool_calls=0`}},
		{"an error and no result", problem(`{"errorType":"query","message":"m"}`)[:4], exited(1), emit.Crash,
			[]string{copilotStep, `1 provider_error kind="connection" message_short="m"`,
				`1 run_finished error="the agent exited with status 1 and did not say how the run ended" error_code="no_terminal_event" exit_reason="provider_error" ok=false steps=1 tool_calls=0`}},
	})
}

func TestCopilot_Ends(t *testing.T) {
	answer := copilotLine("assistant.message", 6, `{"content":"done","toolRequests":[]}`)
	turn := func(id string) string { return copilotLine("assistant.turn_start", 7, `{"turnId":"`+id+`"}`) }
	end := `1 run_finished duration_ms=7 `
	none := `error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" `
	testMappings(t, "copilot", copilotFirst, []mapping{
		{"success", []string{copilotModel, copilotTurn, answer, copilotEnd}, exited(0), emit.Success, []string{copilotStep, end + `exit_reason="ok" final_output="done" ok=true steps=1 tool_calls=0`}},
		{"a failure without an error", []string{copilotModel, copilotTurn, copilotResult("2")}, exited(2), emit.Failure,
			[]string{copilotStep, end + `error="the agent reported exit status 2" error_code="exit_status" exit_reason="internal_error" ok=false steps=1 tool_calls=0`}},
		{"aborted", []string{copilotModel, copilotTurn, copilotLine("abort", 5, `{"reason":"user_abort"}`), copilotEnd}, exited(0), emit.Failure,
			[]string{copilotStep, end + `error="the run was aborted" exit_reason="cancelled" ok=false steps=1 tool_calls=0`}},
		{"no status in the result", []string{copilotModel, copilotTurn, copilotResult(`"0"`)}, exited(0), emit.Violation, []string{copilotStep, `1 run_finished ` + none + `ok=false steps=1 tool_calls=0`}},
		{"pieces behind the result", []string{copilotModel, copilotTurn, copilotEnd, piece("session.background_tasks_changed", 9, `{}`)}, exited(0), emit.Success, []string{copilotStep, end + `exit_reason="ok" ok=true steps=1 tool_calls=0`}},
		{"turns", []string{copilotModel, turn("0"), turn("0"), copilotLine("assistant.turn_end", 8, `{"turnId":"0"}`), turn("3"), turn("x"),
			strings.Replace(turn("4"), `"turnId"`, `"parentToolCallId":"c1","turnId"`, 1), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, `4 step_started step_id="3"`, `5 step_started step_id="x"`, `5 run_finished duration_ms=7 exit_reason="ok" ok=true steps=3 tool_calls=0`}},
		{"turns that count anew", []string{copilotModel, turn("0"), copilotLine("assistant.turn_end", 8, `{"turnId":"0"}`), turn("0"), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, `2 step_started step_id="0"`, `2 run_finished duration_ms=7 exit_reason="ok" ok=true steps=2 tool_calls=0`}},
		{"a subagent's text", []string{copilotModel, copilotTurn, answer, copilotLine("assistant.message", 8, `{"content":"sub","parentToolCallId":"c1"}`), copilotEnd}, exited(0), emit.Success,
			[]string{copilotStep, end + `exit_reason="ok" final_output="done" ok=true steps=1 tool_calls=0`}},
	})
}

// The model is told behind the first lines; run_started waits for it, but not
// longer than for the prompt.
func TestCopilot_Started(t *testing.T) {
	prompt := copilotLine("user.message", 5, `{"content":"x"}`)
	for name, m := range map[string]struct{ source, model, ts string }{
		"model":  {copilotFirst + "\n" + copilotModel + "\n" + prompt + "\n", "m-1", "2026-11-20T20:00:00.001Z"},
		"prompt": {copilotFirst + "\n" + prompt + "\n" + copilotModel + "\n", "", "2026-11-20T20:00:00.005Z"},
	} {
		got := convert(t, "copilot", m.source, exited(0)).events[0]
		if model, _ := got.Data.(*schema.RunStarted).Model.Get(); model != m.model || got.TS != m.ts || got.RunID != "run-1" {
			t.Errorf("%s: run_started has model %q at %s in %s, want %q at %s in run-1", name, model, got.TS, got.RunID, m.model, m.ts)
		}
	}
}

func TestCopilot_Start(t *testing.T) {
	args := func(more ...string) []string {
		return append([]string{"--output-format", "json", "--allow-all-tools", "--no-auto-update"}, more...)
	}
	testStarts(t, "copilot", []start{
		{"login", adapter.Launch{Dir: "/w", Prompt: "p", Key: "GH_TOKEN"}, adapter.Start{Args: args("--disable-client-telemetry"), Stdin: "p"}},
		{"model", adapter.Launch{Model: "m", Args: []string{"--no-color"}}, adapter.Start{Args: args("--disable-client-telemetry", "--model", "m", "--no-color")}},
		{"endpoint", adapter.Launch{Home: "/h", BaseURL: "http://127.0.0.1:1/v1", Model: "m", Key: "COPILOT_PROVIDER_API_KEY", Prompt: "p"}, adapter.Start{
			Args: args(), Stdin: "p", Env: []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:1/v1", "COPILOT_MODEL=m"}}},
		{"endpoint without a model", adapter.Launch{BaseURL: "http://127.0.0.1:1/v1"}, adapter.Start{
			Args: args(), Env: []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:1/v1"}}},
	})
}

package adapter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

const (
	qwenInit = `{"type":"system","subtype":"init","uuid":"s-1","session_id":"s-1","tools":["run_shell_command"],"model":"m","permission_mode":"default","qwen_code_version":"0.24.4"}`
	qwenCall = `{"type":"tool_use","id":"c1","name":"run_shell_command","input":{"command":"ls"}}`
	qwenOK   = `{"type":"result","subtype":"success","session_id":"s-1","is_error":false,"duration_ms":7,"result":"done",` +
		`"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":1,"total_tokens":4}}`
	qwenEnd = ` duration_ms=7 exit_reason="ok" final_output="done" ok=true `
	// The total is qwen's own.
	qwenUsage = ` usage={"input_tokens":1,"output_tokens":2,"total_tokens":4,"cached_input_tokens":1}`
)

func qwenSays(id, blocks string) string {
	return `{"type":"assistant","uuid":"` + id + `","session_id":"s-1","parent_tool_use_id":null,"message":{"id":"` + id + `","role":"assistant","content":[` + blocks + `]}}`
}

func qwenStep(n, id string) string {
	return n + ` step_started allowed_tools=["run_shell_command"] enforcement_mode="default" step_id="` + id + `"`
}

var qwenRuns = []string{
	`1 tool_call_detected arguments_bytes=16 arguments_preview="{\"command\":\"ls\"}" source="native" status="complete" tool="run_shell_command" tool_call_id="c1"`,
	`1 tool_decision decision="allow" source="inferred" tool="run_shell_command" tool_call_id="c1"`,
	`1 tool_exec_started tool="run_shell_command" tool_call_id="c1"`,
}

func TestQwen_Lines(t *testing.T) {
	const noEnd = `error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" `
	testMappings(t, "qwen", qwenInit, []mapping{
		{"each message is a step", []string{qwenSays("m1", claudeText("a")), qwenSays("m2", claudeText("b")), qwenOK}, exited(0), emit.Success, []string{
			qwenStep("1", "m1"), qwenStep("2", "m2"), `2 run_finished` + qwenEnd + `steps=2 tool_calls=0` + qwenUsage,
		}},
		{"the text of an error is neither step nor answer", []string{qwenSays("m1", claudeText("a")), qwenSays("m2", claudeText("[API Error: 500 x]"))}, exited(0), emit.Violation, []string{
			qwenStep("1", "m1"), `1 run_finished ` + noEnd + `final_output="a" ok=false steps=1 tool_calls=0`,
		}},
		{"a subagent has calls, but neither steps nor the last word", []string{
			qwenSays("m1", claudeText("a")), strings.Replace(qwenSays("m2", claudeText("b")+","+qwenCall), `_id":null`, `_id":"c0"`, 1),
		}, signalled(9), emit.Crash, slices.Concat([]string{qwenStep("1", "m1"), saying(qwenRuns[0], "b")}, qwenRuns[1:], []string{
			`1 tool_exec_finished error_kind="interrupted" ok=false status="error" tool="run_shell_command" tool_call_id="c1"`,
			`1 run_finished error="signal 9 ended the agent" error_code="signal_9" exit_reason="killed" final_output="a" ok=false steps=1 tool_calls=1`,
		})},
		{"retries", []string{
			`{"type":"system","subtype":"retry","session_id":"s-1","data":{"reason":"retry","discardedToolCalls":0}}`,
			`{"type":"system","subtype":"retry","session_id":"s-1","data":{"reason":"model_fallback","attempt":1,"maxRetries":3,"delayMs":500}}`, qwenOK,
		}, exited(0), emit.Success, []string{
			`0 provider_retry kind="retry"`, `0 provider_retry attempt=1 backoff_ms=500 kind="model_fallback" max_attempts=3`,
			`0 run_finished` + qwenEnd + `steps=0 tool_calls=0` + qwenUsage,
		}},
		{"the text of an error behind a part of an answer", []string{
			qwenSays("m1", claudeText("a[API Error: terminated]")), `{"type":"result","subtype":"error_during_execution","session_id":"s-1","is_error":true,"error":{"message":"[API Error: terminated]"}}`,
		}, exited(1), emit.Failure, []string{
			qwenStep("1", "m1"), `1 provider_error kind="connection" message_short="terminated"`,
			`1 run_finished error="terminated" exit_reason="provider_error" final_output="a" ok=false steps=1 tool_calls=0`,
		}},
		{"the failure of a subagent is not the end", []string{
			`{"type":"result","subtype":"error_during_execution","session_id":"s-1","parent_tool_use_id":"c0","is_error":true,"error":{"message":"[API Error: 429 slow]"}}`, qwenSays("m1", claudeText("a")), qwenOK,
		}, exited(0), emit.Success, []string{qwenStep("1", "m1"), `1 run_finished` + qwenEnd + `steps=1 tool_calls=0` + qwenUsage}},
		{"a failure behind the result", []string{qwenOK, qwenSays("m1", claudeText("[API Error: 500 x]"))}, exited(0), emit.Violation, []string{
			`0 run_finished duration_ms=7 ` + noEnd + `final_output="done" ok=false steps=0 tool_calls=0` + qwenUsage,
		}},
		{"a later result cannot be read", []string{qwenOK, `{"type":"result","session_id":"s-1"}`}, exited(0), emit.Violation, []string{
			`0 run_finished duration_ms=7 ` + noEnd + `final_output="done" ok=false steps=0 tool_calls=0` + qwenUsage,
		}},
		{"no total of tokens", []string{strings.Replace(qwenOK, `,"total_tokens":4`, "", 1)}, exited(0), emit.Success, []string{
			`0 run_finished` + qwenEnd + `steps=0 tool_calls=0` + strings.Replace(qwenUsage, "4", "3", 1),
		}},
	})
}

func TestQwen_Results(t *testing.T) {
	const report = `Command: x\nDirectory: (root)\nOutput: `
	for _, c := range []struct{ name, block, want string }{
		{"plain output", `"is_error":false,"content":"step-1"`, `content_preview="step-1" ok=true status="success"`},
		{"an error", `"is_error":true,"content":"no such tool"`, `content_preview="no such tool" ok=false status="error"`},
		{"no text", `"is_error":false`, `ok=true status="success"`},
		{"a report", `"is_error":false,"content":"` + report + `(empty)\nExit Code: 0\nSignal: (none)"`,
			`content_preview="` + report + `(empty)\nExit Code: 0\nSignal: (none)" exit_status=0 ok=true status="success"`},
		{"a report of a failure", `"is_error":true,"content":"` + report + `a\nExit Code: 3\nSignal: (none)"`,
			`content_preview="` + report + `a\nExit Code: 3\nSignal: (none)" exit_status=3 ok=false status="success"`},
		{"an exit status that is no error", `"is_error":false,"content":"` + report + `a\nExit Code: -1"`,
			`content_preview="` + report + `a\nExit Code: -1" exit_status=-1 ok=false status="success"`},
		{"a status in the output", `"is_error":true,"content":"` + report + `a\nExit Code: 7\nExit Code: 3\nExit Code: (none)"`,
			`content_preview="` + report + `a\nExit Code: 7\nExit Code: 3\nExit Code: (none)" exit_status=3 ok=false status="success"`},
		{"a killed command", `"is_error":true,"content":"` + report + `a\nExit Code: (none)\nSignal: 9"`,
			`content_preview="` + report + `a\nExit Code: (none)\nSignal: 9" ok=false status="error"`},
		{"a line like a report's", `"is_error":false,"content":"a\nExit Code: 3"`, `content_preview="a\nExit Code: 3" ok=true status="success"`},
		{"a cancelled command", `"is_error":true,"content":"[Operation Cancelled] Reason: x"`, `content_preview="[Operation Cancelled] Reason: x" error_kind="interrupted" ok=false status="error"`},
		{"output that qwen cut", `"is_error":false,"content":"a\nOutput too long and was saved to: /f"`,
			`content_preview="a\nOutput too long and was saved to: /f" ok=true output_truncated=true status="success"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := `{"type":"user","session_id":"s-1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",` + c.block + `}]}}`
			got := convert(t, "qwen", strings.Join([]string{qwenInit, qwenSays("m1", qwenCall), result, result, qwenOK}, "\n"), exited(0))
			var events []string
			for _, e := range got.events[2 : len(got.events)-1] {
				events = append(events, brief(t, e))
			}
			want := append(slices.Clone(qwenRuns), "1 tool_exec_finished "+c.want+` tool="run_shell_command" tool_call_id="c1"`)
			if diff := cmp.Diff(want, events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQwen_Ends(t *testing.T) {
	failed := func(subtype, message string) string {
		return `{"type":"result","subtype":"` + subtype + `","session_id":"s-1","is_error":true,"error":{"message":"` + message + `"}}`
	}
	testEnds(t, "qwen", []string{qwenInit, qwenSays("m1", claudeText("said"))}, []ending{
		{"success", qwenOK, exited(0), emit.Success, `exit_reason="ok" final_output="done" ok=true`, ""},
		{"an error is no success", strings.Replace(qwenOK, "false", "true", 1), exited(0), emit.Failure, `error="internal_error" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"whether it is an error is not said", strings.Replace(qwenOK, `"is_error":false,`, "", 1), exited(0), emit.Failure, `error="internal_error" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"another subtype is no success", strings.Replace(qwenOK, `"success"`, `"never_seen"`, 1), exited(0), emit.Failure, `error="internal_error" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"400", failed("error_during_execution", "[API Error: 400 bad field]"), exited(1), emit.Failure, `error="bad field" exit_reason="provider_error" final_output="said" ok=false`, `kind="client" message_short="bad field" status=400`},
		{"401", failed("error_during_execution", "[API Error: 401 no]"), exited(1), emit.Failure, `error="no" exit_reason="provider_error" final_output="said" ok=false`, `kind="unauthorized" message_short="no" status=401`},
		{"429 with advice", failed("error_during_execution", `[API Error: 429 slow]\nPossible quota limitations in place.`), exited(1), emit.Failure, `error="slow" exit_reason="provider_error" final_output="said" ok=false`, `kind="rate_limit" message_short="slow" status=429`},
		{"500", failed("error_during_execution", "[API Error: 500 x]"), exited(1), emit.Failure, `error="x" exit_reason="provider_error" final_output="said" ok=false`, `kind="server" message_short="x" status=500`},
		{"a cut answer", failed("error_during_execution", "[API Error: terminated (cause: UND_ERR_SOCKET other side closed)]"), exited(1), emit.Failure,
			`error="terminated (cause: UND_ERR_SOCKET other side closed)" exit_reason="provider_error" final_output="said" ok=false`, `kind="connection" message_short="terminated (cause: UND_ERR_SOCKET other side closed)"`},
		{"a server that is down", failed("error_during_execution", "[API Error: Connection error. (cause: fetch failed)]"), exited(1), emit.Failure,
			`error="Connection error. (cause: fetch failed)" exit_reason="provider_error" final_output="said" ok=false`, `kind="connection" message_short="Connection error. (cause: fetch failed)"`},
		{"a request failed, who knows why", failed("error_during_execution", "[API Error: An unknown error occurred.]"), exited(1), emit.Failure,
			`error="An unknown error occurred." exit_reason="provider_error" final_output="said" ok=false`, `message_short="An unknown error occurred."`},
		{"another subtype", failed("never_seen", "[API Error: 500 x]"), exited(1), emit.Failure, `error="[API Error: 500 x]" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"another failure", failed("error_during_execution", "Missing API key"), exited(1), emit.Failure, `error="Missing API key" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"turns", failed("error_max_turns", "Reached max turns"), exited(53), emit.Failure, `error="Reached max turns" exit_reason="max_steps" final_output="said" ok=false`, ""},
		{"no subtype", `{"type":"result","session_id":"s-1","is_error":false}`, exited(0), emit.Violation,
			`error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" final_output="said" ok=false`, ""},
	})
}

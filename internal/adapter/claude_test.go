package adapter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

const (
	claudeInit = `{"type":"system","subtype":"init","session_id":"s-1","tools":["Bash","Read"],"model":"m","permissionMode":"default","claude_code_version":"2.1.329"}`
	claudeCall = `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}`
	claudeOK   = `{"type":"result","subtype":"success","session_id":"s-1","is_error":false,"terminal_reason":"completed","result":"done","duration_ms":7,` +
		`"total_cost_usd":0.0012345678,"usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":8}}`
	claudeAccept = `"permission_decision":{"decision":"accept","source":"config","reason_type":"mode"}`

	claudeCalled  = `1 tool_call_detected arguments_bytes=16 arguments_preview="{\"command\":\"ls\"}" source="native" status="complete" tool="Bash" tool_call_id="t1"`
	claudeAllowed = `1 tool_decision decision="allow" reason="mode" source="config" tool="Bash" tool_call_id="t1"`
	claudeStarted = `1 tool_exec_started tool="Bash" tool_call_id="t1"`

	claudeInferred    = `1 tool_decision decision="allow" source="inferred" tool="Bash" tool_call_id="t1"`
	claudeInterrupted = `1 tool_exec_finished error_kind="interrupted" ok=false status="error" tool="Bash" tool_call_id="t1"`
	claudeEnd         = ` duration_ms=7 exit_reason="ok" final_output="done" ok=true `
	claudeUsage       = ` usage={"input_tokens":7,"output_tokens":8,"total_tokens":15,"cached_input_tokens":4,"cost_usd":0.001235}`
)

// claudeSays is a line with blocks of the model's message of an id.
func claudeSays(id, blocks string) string {
	return `{"type":"assistant","session_id":"s-1","parent_tool_use_id":null,"message":{"id":"` + id + `","model":"m","content":[` + blocks + `]}}`
}

func claudeText(text string) string { return `{"type":"text","text":"` + text + `"}` }

func claudeStep(n int, id string) string {
	return fmt.Sprintf(`%d step_started allowed_tools=["Bash","Read"] enforcement_mode="default" step_id="%s"`, n, id)
}

// claudeResult is a line with the result of a call: the members of its block, of
// what claude tells of it, and of its output.
func claudeResult(block, about, output string) string {
	return `{"type":"user","session_id":"s-1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",` + block + `}]},` +
		`"tool_result_meta":[{"id":"t0","non_execution_kind":"cancelled"},{"id":"t1",` + about + `},{"id":"t2"}],"tool_use_result":` + output + `}`
}

func claudeFailed(members string) string {
	return `{"type":"result","subtype":"success","session_id":"s-1","is_error":true,` + members + `}`
}

func TestClaude_Steps(t *testing.T) {
	testMappings(t, "claude", claudeInit, []mapping{
		{"a message is one step, however many lines it has", []string{
			claudeSays("m1", claudeText("a")), claudeSays("m1", claudeText("b")), claudeSays("m3", claudeText("c")), claudeOK,
		}, exited(0), emit.Success, []string{claudeStep(1, "m1"), claudeStep(2, "m3"), `2 run_finished` + claudeEnd + `steps=2 tool_calls=0` + claudeUsage}},
		{"a message without an id is a step", []string{claudeSays("", claudeText("a")), claudeSays("", claudeText("b"))}, exited(0), emit.Violation, []string{
			strings.TrimSuffix(claudeStep(1, ""), ` step_id=""`), strings.TrimSuffix(claudeStep(2, ""), ` step_id=""`),
			`2 run_finished error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" final_output="b" ok=false steps=2 tool_calls=0`,
		}},
		{"a subagent has calls, but neither steps nor the last word", []string{
			claudeSays("m1", claudeText("a")), strings.Replace(claudeSays("m2", claudeText("b")+","+claudeCall), `_id":null`, `_id":"t0"`, 1), claudeSays("m1", ""),
		}, signalled(9), emit.Crash, []string{
			claudeStep(1, "m1"), saying(claudeCalled, "b"), claudeInferred, claudeStarted, claudeInterrupted,
			`1 run_finished error="signal 9 ended the agent" error_code="signal_9" exit_reason="killed" final_output="a" ok=false steps=1 tool_calls=1`,
		}},
		{"what claude says in place of the model is neither step nor text", []string{
			strings.Replace(claudeSays("m1", claudeText("API Error: no")), `"model":"m"`, `"model":"<synthetic>"`, 1),
			strings.Replace(claudeSays("m2", claudeText("API Error: no")), `"session_id"`, `"is_api_error_message":true,"session_id"`, 1),
		}, exited(1), emit.Crash, []string{
			`0 run_finished error="the agent exited with status 1 and did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" ok=false steps=0 tool_calls=0`,
		}},
		{"the message goes on behind a result", []string{claudeSays("m1", claudeText("a")), claudeOK, claudeSays("m1", claudeText("b"))}, exited(0), emit.Success, []string{
			claudeStep(1, "m1"), `1 run_finished` + strings.Replace(claudeEnd, "done", "b", 1) + `steps=1 tool_calls=0` + claudeUsage,
		}},
		{"a later result cannot be read", []string{claudeOK, `{"type":"result","session_id":"s-1"}`}, exited(0), emit.Violation, []string{
			`0 run_finished duration_ms=7 error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" final_output="done" ok=false steps=0 tool_calls=0` + claudeUsage,
		}},
		{"another turn begins behind a result", []string{claudeOK, claudeInit}, exited(0), emit.Violation, []string{
			`0 run_finished duration_ms=7 error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" final_output="done" ok=false steps=0 tool_calls=0` + claudeUsage,
		}},
		{"another session that claude announces", []string{claudeSays("m1", claudeText("a")), `{"type":"conversation_reset","session_id":"s-1","new_conversation_id":"s-2"}`, strings.Replace(claudeSays("m1", ""), "s-1", "s-2", 1), claudeSays("m1", ""), strings.Replace(claudeOK, "s-1", "s-2", 1)}, exited(0), emit.Success, []string{
			claudeStep(1, "m1"), `1 run_finished` + claudeEnd + `steps=1 tool_calls=0` + claudeUsage,
		}},
	})
}

func TestClaude_Calls(t *testing.T) {
	asked := []string{claudeStep(1, "m1"), claudeCalled}
	denied := `1 tool_decision decision="deny" reason="no" source="config" tool="Bash" tool_call_id="t1"`
	blocked := `1 step_blocked reason="user-rejected" step_id="m1" tool="Bash"`
	refused := `1 tool_decision decision="deny" reason="no" source="claude" tool="Bash" tool_call_id="t1"`
	undecided := `1 tool_decision reason="user-rejected" source="claude" tool="Bash" tool_call_id="t1"`
	finished := func(members string) []string {
		return []string{claudeAllowed, claudeStarted, `1 tool_exec_finished ` + members + ` tool="Bash" tool_call_id="t1"`}
	}
	for _, c := range []struct {
		name   string
		source []string
		want   []string
	}{
		{"plain output", []string{claudeResult(`"content":"out","is_error":false`, claudeAccept, `{"stdout":"out","interrupted":false}`)},
			finished(`content_preview="out" ok=true status="success"`)},
		{"output that begins like an exit status", []string{claudeResult(`"content":"Exit code 3"`, claudeAccept, `{}`)},
			finished(`content_preview="Exit code 3" ok=true status="success"`)},
		{"an exit status", []string{claudeResult(`"content":"Exit code 3\nto-err","is_error":true`, claudeAccept, `"Error: Exit code 3\nto-err"`)},
			finished(`content_preview="Exit code 3\nto-err" exit_status=3 ok=false status="success"`)},
		{"an error", []string{claudeResult(`"content":"Exit code \nno file","is_error":true`, claudeAccept, `"Error"`)},
			finished(`content_preview="Exit code \nno file" ok=false status="error"`)},
		{"parts", []string{claudeResult(`"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]`, claudeAccept, `{}`)},
			finished(`content_preview="a\n[image]\nb" ok=true status="success"`)},
		{"an image", []string{claudeResult(`"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGg=="}}]`, claudeAccept, `{}`)},
			finished(`content_preview="[image image/png, 7 bytes]" ok=true status="success"`)},
		{"documents", []string{claudeResult(`"content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}},{"type":"document","source":{"type":"text","data":"t"}},`+
			`{"type":"image","source":{"type":"url","url":"https://a.example/b.png"}},{"type":"resource","resource":{"uri":"a:b","text":"u"}}]`, claudeAccept, `{}`)},
			finished(`content_preview="[document application/pdf, 3 bytes]\nt\n[image https://a.example/b.png]\nu" ok=true status="success"`)},
		{"structured content", []string{claudeResult(`"content":[]`, claudeAccept, `{"structuredContent":{"n":1}}`)},
			finished(`content_preview="{\"n\":1}" ok=true status="success"`)},
		{"output that claude cut", []string{claudeResult(`"content":"a"`, claudeAccept, `{"persistedOutputSize":200000}`)},
			finished(`content_preview="a" ok=true output_bytes=200000 output_truncated=true status="success"`)},
		{"an interrupted command", []string{claudeResult(`"content":"a"`, claudeAccept, `{"interrupted":true}`)},
			finished(`content_preview="a" error_kind="interrupted" ok=false status="error"`)},
		{"an interrupted tool", []string{claudeResult(`"content":"a","is_error":true`, claudeAccept+`,"non_execution_kind":"interrupted"`, `"a"`)},
			finished(`content_preview="a" error_kind="interrupted" ok=false status="error"`)},
		{"no decision", []string{claudeResult(`"content":"a"`, `"remedy":{}`, `null`)}, []string{
			`1 tool_decision decision="allow" source="inferred" tool="Bash" tool_call_id="t1"`, claudeStarted,
			`1 tool_exec_finished content_preview="a" ok=true status="success" tool="Bash" tool_call_id="t1"`,
		}},
		{"a second result", []string{claudeResult(`"content":"a"`, claudeAccept, `{}`), claudeResult(`"content":"b"`, claudeAccept, `{}`)},
			finished(`content_preview="a" ok=true status="success"`)},
		{"a denied call", []string{claudeResult(`"content":"no","is_error":true`, `"permission_decision":{"decision":"reject","source":"config","reason_type":"rule"}`, `"no"`)}, []string{denied}},
		{"a cancelled question", []string{claudeResult(`"content":"no","is_error":true`, `"permission_decision":{"decision":"cancelled","source":"config","reason_type":"rule"}`, `"no"`)}, []string{denied}},
		{"a denial without a decision", []string{claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"automode-blocked"`, `"no"`)}, []string{
			`1 tool_decision decision="deny" reason="no" source="claude" tool="Bash" tool_call_id="t1"`,
		}},
		{"a denial before the result", []string{
			`{"type":"system","subtype":"permission_denied","session_id":"s-1","tool_name":"Bash","tool_use_id":"t1","decision_reason_type":"mode"}`,
			claudeResult(`"content":"no","is_error":true`, claudeAccept, `"no"`),
		}, []string{`1 tool_decision decision="deny" reason="mode" source="claude" tool="Bash" tool_call_id="t1"`}},
		{"a denial before the result, which is a refusal, told twice", []string{
			`{"type":"system","subtype":"permission_denied","session_id":"s-1","tool_name":"Bash","tool_use_id":"t1","message":"needs approval"}`,
			claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected","permission_decision":{"decision":"reject","source":"config"}`, `"no"`),
			claudeSays("m1", ""),
			claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected"`, `"no"`),
		}, []string{`1 tool_decision decision="deny" reason="needs approval" source="claude" tool="Bash" tool_call_id="t1"`, blocked}},
		{"a denial that only the result line has", []string{claudeFailed(`"permission_denials":[{"tool_name":"Bash","tool_use_id":"t1"}]`)}, []string{
			`1 tool_decision decision="deny" source="claude" tool="Bash" tool_call_id="t1"`,
		}},
		{"a denial of a call that nobody saw", []string{claudeResult(`"content":"a"`, claudeAccept, `{}`), claudeFailed(`"permission_denials":[{"tool_name":"Bash","tool_use_id":"t1"},{"tool_name":"Read","tool_use_id":"t2","tool_input":{}}]`)},
			append(finished(`content_preview="a" ok=true status="success"`),
				`1 tool_call_detected arguments_bytes=2 arguments_preview="{}" source="native" status="complete" tool="Read" tool_call_id="t2"`,
				`1 tool_decision decision="deny" source="claude" tool="Read" tool_call_id="t2"`)},
		{"a refusal, and the run goes on", []string{claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected"`, `"no"`), claudeSays("m1", claudeText("a"))}, []string{refused, blocked}},
		{"a refusal that the result does not explain", []string{claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected"`, `"no"`), claudeFailed(`"terminal_reason":"hook_stopped"`)}, []string{refused, blocked}},
		{"a refusal with its decision", []string{
			claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected","permission_decision":{"decision":"reject","source":"config","reason_type":"rule"}`, `"no"`), claudeSays("m1", claudeText("a")),
		}, []string{denied, blocked}},
		{"a refusal because the run was aborted", []string{claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected"`, `"no"`), claudeFailed(`"terminal_reason":"aborted_streaming"`)}, []string{undecided}},
		{"a refusal, and no result", []string{claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected"`, `"no"`)}, []string{undecided}},
		{"a refusal with its decision, told twice, and the run was aborted", []string{
			claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected","permission_decision":{"decision":"reject","source":"config","reason_type":"rule"}`, `"no"`),
			claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"user-rejected"`, `"no"`),
			claudeFailed(`"terminal_reason":"aborted_tools"`),
		}, []string{denied, blocked}},
		{"a cancelled call that has a result all the same", []string{
			claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"cancelled"`, `"no"`), claudeResult(`"content":"a"`, claudeAccept, `{}`),
		}, []string{strings.Replace(undecided, "user-rejected", "cancelled", 1)}},
		{"a cancelled call", []string{claudeResult(`"content":"no","is_error":true`, `"non_execution_kind":"cancelled"`, `"no"`)}, []string{strings.Replace(undecided, "user-rejected", "cancelled", 1)}},
		{"no result", nil, []string{claudeInferred, claudeStarted, claudeInterrupted}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := append([]string{claudeInit, claudeSays("m1", claudeCall)}, c.source...)
			got := convert(t, "claude", strings.Join(source, "\n")+"\n", signalled(9))
			var events []string
			for _, e := range got.events[1 : len(got.events)-1] {
				events = append(events, brief(t, e))
			}
			if diff := cmp.Diff(append(slices.Clone(asked), c.want...), events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			// Nobody knows of a call without a decision whether it ran.
			unknown := !strings.Contains(strings.Join(c.want, ""), "decision=")
			if n := got.terminal().Unfinished; (n != nil) != unknown || unknown && *n != 1 {
				t.Errorf("x_unfinished: got %v, want one: %t", n, unknown)
			}
		})
	}
}

func TestClaude_Retries(t *testing.T) {
	retry := func(members string) string {
		return `{"type":"system","subtype":"api_retry","session_id":"s-1",` + members + `}`
	}
	for members, want := range map[string]string{
		`"attempt":1,"max_retries":10,"retry_delay_ms":500,"error_status":429,"error":"rate_limit"`: `attempt=1 backoff_ms=500 kind="rate_limit" max_attempts=10 status=429`,
		`"error_status":401,"error":"authentication_failed"`:                                        `kind="unauthorized" status=401`,
		`"error_status":500,"error":"server_error"`:                                                 `kind="server" status=500`,
		`"error_status":529,"error":"overloaded"`:                                                   `kind="server" status=529`,
		`"error_status":402,"error":"billing_error"`:                                                `kind="quota" status=402`,
		`"error_status":null,"error":"unknown"`:                                                     `kind="connection"`,
		`"error_status":400,"error":"unknown"`:                                                      `kind="client" status=400`,
		`"error_status":503,"error":"a_new_word"`:                                                   `kind="server" status=503`,
	} {
		got := convert(t, "claude", claudeInit+"\n"+retry(members)+"\n", exited(0))
		if e := brief(t, got.events[1]); e != "0 provider_retry "+want {
			t.Errorf("%s: got %s, want %s", members, e, want)
		}
	}
}

func TestClaude_Ends(t *testing.T) {
	testEnds(t, "claude", []string{claudeInit, claudeFailed(`"terminal_reason":"max_turns"`), claudeSays("m1", claudeText("said"))}, []ending{
		{"success", claudeOK, exited(0), emit.Success, `exit_reason="ok" final_output="done" ok=true`, ""},
		{"success of an older claude", strings.Replace(claudeOK, `"terminal_reason":"completed",`, "", 1), exited(0), emit.Success, `exit_reason="ok" final_output="done" ok=true`, ""},
		{"an error is no success", strings.Replace(claudeOK, "false", "true", 1), exited(0), emit.Failure, `error="done" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"whether it is an error is not said", strings.Replace(claudeOK, `"is_error":false,`, "", 1), exited(0), emit.Failure, `error="done" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"another subtype is no success", strings.Replace(claudeOK, `"success"`, `"error_during_execution"`, 1), exited(0), emit.Failure, `error="done" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"an unknown reason is no success", strings.Replace(claudeOK, `"completed"`, `"never_seen"`, 1), exited(0), emit.Failure, `error="done" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"a reason of another kind is no success", strings.Replace(claudeOK, `"completed"`, `7`, 1), exited(0), emit.Failure, `error="done" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"a request failed", claudeFailed(`"terminal_reason":"api_error","api_error_status":400,"result":"API Error: 400 bad field"`), exited(1), emit.Failure,
			`error="bad field" exit_reason="provider_error" final_output="said" ok=false`, `kind="client" message_short="bad field" status=400`},
		{"a request failed without a status", claudeFailed(`"terminal_reason":"api_error","result":"API Error: Connection error."`), exited(1), emit.Failure,
			`error="Connection error." exit_reason="provider_error" final_output="said" ok=false`, `message_short="Connection error."`},
		{"a request failed, and no reason", claudeFailed(`"api_error_status":500,"result":"API Error: 500 x"`), exited(1), emit.Failure,
			`error="x" exit_reason="provider_error" final_output="said" ok=false`, `kind="server" message_short="x" status=500`},
		{"the prompt is too long", claudeFailed(`"terminal_reason":"prompt_too_long","result":"Prompt is too long"`), exited(1), emit.Failure,
			`error="Prompt is too long" error_code="payload_too_large" exit_reason="provider_error" final_output="said" ok=false`, `kind="payload_too_large" message_short="Prompt is too long"`},
		{"turns", claudeFailed(`"terminal_reason":"max_turns","errors":["Reached maximum number of turns (1)"]`), exited(1), emit.Failure,
			`error="Reached maximum number of turns (1)" exit_reason="max_steps" final_output="said" ok=false`, ""},
		{"a start that was refused", claudeFailed(`"startup_failure_reason":"x","errors":["no sandbox"]`), exited(1), emit.Failure, `error="no sandbox" exit_reason="pre_run_error" final_output="said" ok=false`, ""},
		{"turns of an older claude", strings.Replace(claudeFailed(`"errors":[]`), `"success"`, `"error_max_turns"`, 1), exited(1), emit.Failure,
			`error="max_steps" exit_reason="max_steps" final_output="said" ok=false`, ""},
		{"money", claudeFailed(`"terminal_reason":"budget_exhausted"`), exited(1), emit.Failure, `error="budget_exhausted" exit_reason="budget_exceeded" final_output="said" ok=false`, ""},
		{"money of an older claude", strings.Replace(claudeFailed(`"errors":[]`), `"success"`, `"error_max_budget_usd"`, 1), exited(1), emit.Failure,
			`error="budget_exceeded" exit_reason="budget_exceeded" final_output="said" ok=false`, ""},
		{"aborted, exit status 0", claudeFailed(`"terminal_reason":"aborted_tools","errors":["[diagnostic]"]`), exited(0), emit.Failure, `error="cancelled" exit_reason="cancelled" final_output="said" ok=false`, ""},
		{"aborted while the model answered", claudeFailed(`"terminal_reason":"aborted_streaming"`), exited(0), emit.Failure, `error="cancelled" exit_reason="cancelled" final_output="said" ok=false`, ""},
		{"aborted by the harness", claudeFailed(`"terminal_reason":"aborted_tools"`), emit.End{Cancelled: true}, emit.Cancelled, `error="cancelled" error_code="cancelled" exit_reason="cancelled" final_output="said" ok=false`, ""},
		{"malformed calls", claudeFailed(`"terminal_reason":"malformed_tool_use_exhausted"`), exited(1), emit.Failure, `error="malformed_tool_use_exhausted" exit_reason="blocked" final_output="said" ok=false`, ""},
		{"a hook", claudeFailed(`"terminal_reason":"hook_stopped"`), exited(1), emit.Failure, `error="hook_stopped" exit_reason="blocked" final_output="said" ok=false`, ""},
		{"a hook at the end", strings.Replace(claudeOK, `"completed"`, `"stop_hook_prevented"`, 1), exited(0), emit.Failure, `error="done" exit_reason="blocked" final_output="said" ok=false`, ""},
		{"permissions", claudeFailed(`"stopped_by_permission_check":true,"result":"stopped"`), exited(1), emit.Failure, `error="stopped" exit_reason="blocked" final_output="said" ok=false`, ""},
		{"anything else", claudeFailed(`"terminal_reason":"turn_setup_failed"`), exited(1), emit.Failure, `error="turn_setup_failed" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"no reason", claudeFailed(`"errors":["a","b"]`), exited(1), emit.Failure, `error="a" exit_reason="internal_error" final_output="said" ok=false`, ""},
		{"no subtype", `{"type":"result","session_id":"s-1","is_error":false,"terminal_reason":"completed"}`, exited(0), emit.Violation,
			`error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event" final_output="said" ok=false`, ""},
		{"SIGTERM", "", exited(143), emit.Crash, `error="signal 15 ended the agent" error_code="signal_15" exit_reason="cancelled" final_output="said" ok=false`, ""},
		{"still retrying at the deadline", `{"type":"system","subtype":"api_retry","session_id":"s-1","attempt":1}`, emit.End{TimedOut: true}, emit.TimedOut,
			`error="the agent did not end in time" error_code="timeout" exit_reason="timeout" final_output="said" ok=false`, ""},
	})
}

// The cause of a failure without a status is told in the line before.
func TestClaude_FailureWithoutStatus(t *testing.T) {
	for word, want := range map[string]string{"authentication_failed": "unauthorized", "unknown": "connection"} {
		said := strings.Replace(claudeSays("m1", claudeText("Not logged in")), `"session_id"`, `"error":"`+word+`","is_api_error_message":true,"session_id"`, 1)
		got := convert(t, "claude", strings.Join([]string{claudeInit, said, claudeFailed(`"terminal_reason":"api_error","result":"Not logged in"`)}, "\n"), exited(1))
		if e := brief(t, got.events[1]); e != `0 provider_error kind="`+want+`" message_short="Not logged in"` {
			t.Errorf("%s: got %s, want kind %s", word, e, want)
		}
	}
}

func TestClaude_Usage(t *testing.T) {
	for usage, want := range map[string]string{
		`"usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":8,"output_tokens_details":{"thinking_tokens":3}}`:                                          `{"input_tokens":7,"output_tokens":8,"total_tokens":15,"cached_input_tokens":4,"reasoning_tokens":3}`,
		`"usage":{"input_tokens":1,"output_tokens":8},"total_cost_usd":0`:                                                                                                                                 `{"input_tokens":1,"output_tokens":8,"total_tokens":9,"cached_input_tokens":null,"cost_usd":0}`,
		`"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{"a":{"inputTokens":1,"outputTokens":8,"cacheReadInputTokens":4},"b":{"inputTokens":2,"outputTokens":1,"cacheCreationInputTokens":3}}`: `{"input_tokens":10,"output_tokens":9,"total_tokens":19,"cached_input_tokens":4}`,
		`"usage":{"output_tokens":8},"total_cost_usd":-1`:                                    `{"input_tokens":null,"output_tokens":8,"total_tokens":null,"cached_input_tokens":null}`,
		`"usage":{"input_tokens":9007199254740992,"output_tokens":1},"total_cost_usd":1e999`: `{"input_tokens":9007199254740992,"output_tokens":1,"total_tokens":null,"cached_input_tokens":null}`,
	} {
		got := convert(t, "claude", claudeInit+"\n"+claudeFailed(usage)+"\n", exited(1))
		if e := brief(t, got.events[1]); !strings.HasSuffix(e, " usage="+want) {
			t.Errorf("%s: got %s, want %s", usage, e, want)
		}
	}
}

func TestClaude_RunStarted(t *testing.T) {
	got := convert(t, "claude", claudeInit+"\n", exited(0))
	const want = `0 run_started agent={"name":"claude","version":"2.1.329"} model="m"`
	if e := brief(t, got.events[0]); e != want || got.events[0].RunID != "s-1" {
		t.Errorf("got %s of run %s, want %s of s-1", e, got.events[0].RunID, want)
	}
}

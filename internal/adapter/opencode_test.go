package adapter_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

func opencodeLine(kind, member string) string {
	return `{"type":"` + kind + `","timestamp":1795387188000,"sessionID":"ses_1",` + member + `}`
}

func opencodeStart(message string) string {
	return opencodeLine("step_start", `"part":{"messageID":"`+message+`","type":"step-start"}`)
}

func opencodeText(message, text string) string {
	return opencodeLine("text", `"part":{"messageID":"`+message+`","text":"`+text+`"}`)
}

func opencodeFinish(message, reason string) string {
	return opencodeLine("step_finish", `"part":{"messageID":"`+message+`","reason":"`+reason+`","tokens":{"total":20,"input":10,"output":3,"reasoning":0,"cache":{"write":0,"read":7}}}`)
}

func opencodeTool(state string) string {
	return opencodeLine("tool_use", `"part":{"messageID":"m1","tool":"bash","callID":"c1","state":{`+state+`,"input":{"command":"ls"}}}`)
}

func opencodeDone(reason, rejected string) string {
	return opencodeLine("done", `"reason":"`+reason+`","rejected":[`+rejected+`]`)
}

func opencodeError(problem string) string { return opencodeLine("error", `"error":`+problem) }

const (
	opencodeStep     = `1 step_started step_id="m1"`
	opencodeDetected = `1 tool_call_detected arguments_bytes=16 arguments_preview="{\"command\":\"ls\"}" source="native" status="complete" tool="bash" tool_call_id="c1"`
	opencodeUsage    = ` usage={"input_tokens":17,"output_tokens":3,"total_tokens":20,"cached_input_tokens":7,"reasoning_tokens":0}`
	opencodeNoEnd    = `error="the agent did not say how the run ended" error_code="no_terminal_event" exit_reason="no_terminal_event"`
)

func TestOpencode_Lines(t *testing.T) {
	testMappings(t, "opencode", opencodeStart("m1"), []mapping{
		{"two turns", []string{opencodeText("m1", "a"), opencodeFinish("m1", "tool-calls"), opencodeStart("m2"), opencodeText("m2", "b"), opencodeText("m2", "c"), opencodeFinish("m2", "stop")}, exited(0), emit.Success, []string{
			opencodeStep, `2 step_started step_id="m2"`,
			`2 run_finished exit_reason="ok" final_output="bc" ok=true steps=2 tool_calls=0 usage={"input_tokens":34,"output_tokens":6,"total_tokens":40,"cached_input_tokens":14,"reasoning_tokens":0}`,
		}},
		{"a turn that begins again", []string{opencodeStart("m1"), opencodeStart("m1"), opencodeFinish("m1", "stop"), opencodeStart("m1")}, signalled(2), emit.Crash, []string{
			opencodeStep, `1 provider_retry attempt=1`, `1 provider_retry attempt=2`,
			`1 run_finished error="signal 2 ended the agent" error_code="signal_2" exit_reason="cancelled" ok=false steps=1 tool_calls=0` + opencodeUsage,
		}},
		{"thoughts go on", []string{opencodeFinish("m1", "stop"), opencodeLine("reasoning", `"part":{"messageID":"m1","text":"hm"}`)}, exited(0), emit.Violation, []string{
			opencodeStep, `1 run_finished ` + opencodeNoEnd + ` ok=false steps=1 tool_calls=0` + opencodeUsage,
		}},
		{"usage without a total", []string{strings.Replace(opencodeFinish("m1", "stop"), `"total":20,`, "", 1)}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0` + opencodeUsage,
		}},
		{"usage in parts", []string{strings.NewReplacer(`"reasoning":0`, `"reasoning":2`, `"write":0`, `"write":5`, `"total":20,`, "").Replace(opencodeFinish("m1", "stop"))}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0 usage={"input_tokens":22,"output_tokens":5,"total_tokens":27,"cached_input_tokens":7,"reasoning_tokens":2}`,
		}},
		{"usage that is not told once", []string{opencodeFinish("m1", "tool-calls"), opencodeLine("step_finish", `"part":{"messageID":"m1","reason":"stop"}`)}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0 usage={"input_tokens":null,"output_tokens":null,"total_tokens":null,"cached_input_tokens":null,"reasoning_tokens":0}`,
		}},
		{"usage beyond what a number holds", []string{strings.Replace(opencodeFinish("m1", "tool-calls"), `:20,`, `:9007199254740991,`, 1), strings.Replace(opencodeFinish("m1", "stop"), `:20,`, `:9007199254740991,`, 1)}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0 usage={"input_tokens":34,"output_tokens":6,"total_tokens":null,"cached_input_tokens":14,"reasoning_tokens":0}`,
		}},
	})
}

func TestOpencode_Calls(t *testing.T) {
	finished := func(members string) []string {
		return []string{
			opencodeStep, opencodeDetected, `1 tool_decision decision="allow" source="inferred" tool="bash" tool_call_id="c1"`,
			`1 tool_exec_started tool="bash" tool_call_id="c1"`, `1 tool_exec_finished ` + members,
			`1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=1` + opencodeUsage,
		}
	}
	denied := func(reason string) []string {
		return []string{
			opencodeStep, opencodeDetected, `1 tool_decision decision="deny" reason="` + reason + `" source="opencode" tool="bash" tool_call_id="c1"`,
			`1 step_blocked reason="` + reason + `" step_id="m1" tool="bash"`,
			`1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=1` + opencodeUsage,
		}
	}
	const rejected = "The user rejected permission to use this specific tool call."
	const rule = "The user has specified a rule which prevents you from using this specific tool call. Here they are"
	list := []mapping{
		{name: "success", source: []string{opencodeTool(`"status":"completed","output":"a","metadata":{"exit":0,"truncated":false},"time":{"start":1795387188000,"end":1795387188030}`)},
			want: finished(`content_preview="a" duration_ms=30 exit_status=0 ok=true output_truncated=false status="success" tool="bash" tool_call_id="c1"`)},
		{name: "a command that failed", source: []string{opencodeTool(`"status":"completed","output":"a","metadata":{"exit":3,"truncated":true}`)},
			want: finished(`content_preview="a" exit_status=3 ok=false output_truncated=true status="success" tool="bash" tool_call_id="c1"`)},
		{name: "no exit status", source: []string{opencodeTool(`"status":"completed","output":"a","time":{"start":1795387188030,"end":1795387188000}`)},
			want: finished(`content_preview="a" error_kind="interrupted" ok=false status="error" tool="bash" tool_call_id="c1"`)},
		{name: "an error", source: []string{opencodeTool(`"status":"error","error":"no file"`)},
			want: finished(`content_preview="no file" ok=false status="error" tool="bash" tool_call_id="c1"`)},
		{name: "a refusal", source: []string{opencodeTool(`"status":"error","error":"` + rejected + `"`)}, want: denied(rejected)},
		{name: "a rule", source: []string{opencodeTool(`"status":"error","error":"` + rule + `"`)}, want: denied(rule)},
	}
	second := strings.NewReplacer(`"callID"`, `"partID":"p1","id"`, `"error":"`+rule+`"`, `"error":{"type":"permission","message":"`+rule+`"}`)
	last := list[len(list)-1]
	list = append(list, mapping{name: "a rule of the second version", source: []string{second.Replace(last.source[0])}, want: last.want}, mapping{name: "a status of the second version", source: []string{second.Replace(opencodeTool(`"status":"completed","output":"a","metadata":{"metadata":{"exit":3}}`))},
		want: finished(`content_preview="a" exit_status=3 ok=false status="success" tool="bash" tool_call_id="c1"`)})
	for i := range list {
		list[i].source = append(list[i].source, opencodeFinish("m1", "stop"))
		list[i].end, list[i].class = exited(0), emit.Success
	}
	testMappings(t, "opencode", opencodeStart("m1"), list)
}

// A run begins with its first line, whatever that is. A call is printed when it is
// over, and has its own times.
func TestOpencode_Times(t *testing.T) {
	begun := strings.Replace(opencodeText("m1", "a"), "8000", "7500", 1)
	got := convert(t, "opencode", begun+"\n"+opencodeStart("m1")+"\n"+
		opencodeTool(`"status":"completed","output":"a","time":{"start":1795387187000,"end":1795387188030}`)+"\n"+
		opencodeTool(`"status":"completed","output":"a","time":{"start":1795387188500,"end":1795387188600}`)+"\n", exited(0))
	var times []string
	for _, e := range got.events {
		times = append(times, e.TS[len("2026-11-22T22:39:"):])
	}
	want := []string{
		"47.500Z", "48.000Z", // the step, which is printed late
		"48.000Z", "48.000Z", "48.000Z", "48.030Z",
		"48.500Z", "48.500Z", "48.500Z", "48.600Z", "48.600Z",
	}
	if !slices.Equal(times, want) {
		t.Errorf("times: got %v, want %v", times, want)
	}
}

// The last line is the end of a run.
func TestOpencode_Ends(t *testing.T) {
	api := func(data string) string { return opencodeError(`{"name":"APIError","data":{` + data + `}}`) }
	failed := func(members string) []string {
		return []string{opencodeStep, `1 provider_error ` + members + `message_short="m"`, `1 run_finished error="m" exit_reason="provider_error" ok=false steps=1 tool_calls=0`}
	}
	none := []string{opencodeStep, `1 run_finished ` + opencodeNoEnd + ` ok=false steps=1 tool_calls=0` + opencodeUsage}
	list := []mapping{
		{"stop", []string{opencodeFinish("m1", "stop")}, exited(0), emit.Success, []string{opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0` + opencodeUsage}},
		{"length", []string{opencodeFinish("m1", "length")}, exited(0), emit.Failure, []string{opencodeStep,
			`1 run_finished error="the answer reached the limit of its length" exit_reason="budget_exceeded" ok=false steps=1 tool_calls=0` + opencodeUsage}},
		{"content-filter", []string{opencodeFinish("m1", "content-filter")}, exited(0), emit.Failure, []string{opencodeStep, `1 provider_error kind="refused"`,
			`1 run_finished error="the provider refused the answer" exit_reason="provider_error" ok=false steps=1 tool_calls=0` + opencodeUsage}},
		{"tool-calls", []string{opencodeFinish("m1", "tool-calls")}, exited(0), emit.Violation, none},
		{"unknown", []string{opencodeFinish("m1", "unknown")}, exited(0), emit.Violation, none},
		{"other", []string{opencodeFinish("m1", "other")}, exited(0), emit.Violation, none},
		{"a text of another turn", []string{opencodeFinish("m1", "stop"), opencodeText("m2", "")}, exited(0), emit.Violation, none},
		{"a text that was left out before", []string{opencodeText("m1", "a"), opencodeFinish("m1", "stop"), opencodeText("m1", "b")}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" final_output="ab" ok=true steps=1 tool_calls=0` + opencodeUsage}},
		{"done", []string{opencodeFinish("m1", "unknown"), opencodeDone("idle", "")}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0` + opencodeUsage}},
		{"done behind an error", []string{opencodeError(`{"type":"unknown","message":"m"}`), opencodeDone("idle", "")}, exited(1), emit.Failure, failed(``)},
		{"done behind rejected permissions", []string{opencodeFinish("m1", "tool-calls"), opencodeDone("idle", `"bash"`)}, exited(0), emit.Failure, []string{
			opencodeStep, `1 run_finished error="permissions were rejected: bash" exit_reason="blocked" ok=false steps=1 tool_calls=0` + opencodeUsage}},
		{"done in spite of rejected permissions", []string{opencodeFinish("m1", "stop"), opencodeDone("idle", `"bash"`)}, exited(0), emit.Success, []string{
			opencodeStep, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0` + opencodeUsage}},
		{"done for another reason", []string{opencodeDone("error", "")}, exited(0), emit.Failure, []string{
			opencodeStep, `1 run_finished error="the agent ended: error" exit_reason="internal_error" ok=false steps=1 tool_calls=0`}},
		{"a run that the second version aborts", []string{opencodeError(`{"type":"aborted","message":"m"}`)}, exited(1), emit.Failure, []string{
			opencodeStep, `1 run_finished error="m" exit_reason="cancelled" ok=false steps=1 tool_calls=0`}},
		{"a status of the second version", []string{opencodeError(`{"type":"provider.other","message":"m","status":429}`)}, exited(1), emit.Failure,
			others(failed(`kind="rate_limit" `), `short="m"`, `short="m" status=429`)},
		{"a bad request", []string{api(`"message":"m","statusCode":400,"isRetryable":false`)}, exited(1), emit.Failure, others(failed(`kind="client" `), `short="m"`, `short="m" retryable=false status=400`)},
		{"unauthorized", []string{api(`"message":"m","statusCode":401`)}, exited(1), emit.Failure, others(failed(`kind="unauthorized" `), `short="m"`, `short="m" status=401`)},
		{"a server's error", []string{api(`"message":"m","statusCode":500,"isRetryable":true`)}, exited(1), emit.Failure, others(failed(`kind="server" `), `short="m"`, `short="m" retryable=true status=500`)},
		{"a connection that was reset", []string{api(`"message":"m","isRetryable":true,"metadata":{"code":"ECONNRESET"}`)}, exited(1), emit.Failure, others(failed(`kind="connection" `), `short="m"`, `short="m" retryable=true`)},
		{"no connection", []string{api(`"message":"Cannot connect"`)}, exited(1), emit.Failure, others(failed(`kind="connection" `), `="m"`, `="Cannot connect"`)},
		{"an error of another name", []string{opencodeError(`{"name":"UnknownError","data":{"message":"m"}}`)}, exited(1), emit.Failure, failed(``)},
		{"an error of another name about a connection", []string{opencodeError(`{"name":"UnknownError","data":{"message":"connect","statusCode":500}}`)}, exited(1), emit.Failure, others(failed(``), `="m"`, `="connect"`)},
		{"an error without words", []string{opencodeError(`{"name":"m"}`)}, exited(1), emit.Failure, failed(``)},
		{"an error of the second version", []string{opencodeError(`{"type":"provider.auth","message":"m"}`)}, exited(1), emit.Failure, []string{
			opencodeStep, `1 provider_error kind="unauthorized" message_short="m"`, `1 run_finished error="m" exit_reason="provider_error" ok=false steps=1 tool_calls=0`}},
		{"an error that it got over", []string{api(`"message":"m","statusCode":500`), opencodeStart("m1"), opencodeFinish("m1", "stop")}, exited(0), emit.Success, []string{
			opencodeStep, `1 provider_error kind="server" message_short="m" status=500`, `1 provider_retry attempt=1`, `1 run_finished exit_reason="ok" ok=true steps=1 tool_calls=0` + opencodeUsage}},
		{"an error that stays the end behind more of the turn", []string{api(`"message":"m","statusCode":500`), opencodeText("m1", "a")}, exited(0), emit.Failure, []string{
			opencodeStep, `1 provider_error kind="server" message_short="m" status=500`, `1 run_finished error="m" exit_reason="provider_error" final_output="a" ok=false steps=1 tool_calls=0`}},
	}
	testMappings(t, "opencode", opencodeStart("m1"), list)
}

func TestOpencode_Start(t *testing.T) {
	args := []string{"run", "--format", "json", "--title", "run"}
	quiet := []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
	const config = `{"autoupdate":false,"share":"disabled","provider":{"endpoint":{"npm":"@ai-sdk/openai-compatible","name":"endpoint",` +
		`"options":{"apiKey":"{env:OPENAI_API_KEY}","baseURL":"http://localhost:1/v1"},"models":{"m":{"name":"m"}}}}}` + "\n"
	endpoint := adapter.Launch{BaseURL: "http://localhost:1/v1", Model: "m", Key: "OPENAI_API_KEY"}
	private := endpoint
	private.Home = "/h"
	testStarts(t, "opencode", []start{
		{"of a user", adapter.Launch{Dir: "/d", Prompt: "p"}, adapter.Start{Args: args, Stdin: "p", Env: append(slices.Clone(quiet), "PWD=/d")}},
		{"with a model and arguments", adapter.Launch{Model: "p/m", Args: []string{"--thinking"}}, adapter.Start{
			Args: append(slices.Clone(args), "-m", "p/m", "--thinking"), Env: quiet,
		}},
		{"with a base URL", endpoint, adapter.Start{
			Args: append(slices.Clone(args), "-m", "endpoint/m"), Env: append(slices.Clone(quiet), "OPENCODE_CONFIG_CONTENT="+config),
		}},
		{"in a private home with a base URL", private, adapter.Start{
			Args: append(slices.Clone(args), "-m", "endpoint/m"), Env: append(slices.Clone(quiet), "OPENCODE_CONFIG="+filepath.Join("/h", "opencode.json")),
			Files: map[string]string{"opencode.json": config},
		}},
		{"in a private home", adapter.Launch{Home: "/h"}, adapter.Start{
			Args: args, Env: append(slices.Clone(quiet), "OPENCODE_CONFIG="+filepath.Join("/h", "opencode.json")),
			Files: map[string]string{"opencode.json": `{"autoupdate":false,"share":"disabled"}` + "\n"},
		}},
		{"without a key or model", adapter.Launch{Home: "/h", BaseURL: "http://localhost:1/v1"}, adapter.Start{
			Args: args, Env: append(slices.Clone(quiet), "OPENCODE_CONFIG="+filepath.Join("/h", "opencode.json")),
			Files: map[string]string{"opencode.json": strings.NewReplacer(`"apiKey":"{env:OPENAI_API_KEY}",`, "", `{"m":{"name":"m"}}`, "{}").Replace(config)},
		}},
	})
}

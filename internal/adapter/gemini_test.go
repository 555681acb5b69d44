package adapter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

const (
	geminiInit = `{"type":"init","timestamp":"2026-11-22T22:39:50.000Z","session_id":"s-1","model":"gemini-2.5-pro"}`
	geminiUser = `{"type":"message","timestamp":"2026-11-22T22:39:50.001Z","role":"user","content":"Do it."}`
	geminiCall = `{"type":"tool_use","tool_name":"sh","tool_id":"c1","parameters":{"command":"ls"}}`
	geminiDone = `{"type":"tool_result","tool_id":"c1","status":"success","output":"a"}`
	geminiOK   = `{"type":"result","status":"success","stats":{"total_tokens":12,"input_tokens":9,"output_tokens":3,"cached":4,"input":5,"duration_ms":7,"tool_calls":0}}`
)

func geminiText(text string) string {
	return `{"type":"message","role":"assistant","content":"` + text + `","delta":true}`
}

func geminiError(kind, message string) string {
	return `{"type":"result","status":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`
}

var (
	geminiStep   = `1 step_started`
	geminiCalled = []string{`1 tool_call_detected arguments_bytes=16 arguments_preview="{\"command\":\"ls\"}" source="native" status="complete" tool="sh" tool_call_id="c1"`, `1 tool_decision decision="allow" source="inferred" tool="sh" tool_call_id="c1"`, `1 tool_exec_started tool="sh" tool_call_id="c1"`}
	geminiFinish = `1 tool_exec_finished content_preview="a" ok=true status="success" tool="sh" tool_call_id="c1" x_exit_unknown=true`
	geminiUsage  = ` usage={"input_tokens":9,"output_tokens":3,"total_tokens":12,"cached_input_tokens":4}`
)

func TestGemini_Lines(t *testing.T) {
	testMappings(t, "gemini", geminiInit, []mapping{
		{"a text", []string{geminiUser, geminiText("a"), geminiText("b"), geminiOK}, exited(0), emit.Success, []string{
			geminiStep, `1 run_finished duration_ms=7 exit_reason="ok" final_output="ab" ok=true tool_calls=0` + geminiUsage,
		}},
		{"the text behind the last call is the answer", []string{geminiUser, geminiText("a"), geminiCall, geminiDone, geminiText("b"), geminiOK}, exited(0), emit.Success, slices.Concat(
			[]string{geminiStep, saying(geminiCalled[0], "a")}, geminiCalled[1:], []string{geminiFinish, `2 step_started`,
				`2 run_finished duration_ms=7 exit_reason="ok" final_output="b" ok=true tool_calls=1` + geminiUsage},
		)},
		{"a failed call", []string{geminiUser, geminiCall, `{"type":"tool_result","tool_id":"c1","status":"error","error":{"type":"x","message":"no such tool"}}`, geminiOK}, exited(0), emit.Success, slices.Concat(
			[]string{geminiStep}, geminiCalled, []string{
				`1 tool_exec_finished content_preview="no such tool" ok=false status="error" tool="sh" tool_call_id="c1" x_exit_unknown=true`,
				`1 run_finished duration_ms=7 exit_reason="ok" ok=true tool_calls=1` + geminiUsage},
		)},
		{"calls in a row are one step, those behind a result another", []string{geminiUser, geminiCall, strings.ReplaceAll(geminiCall, "c1", "c2"), geminiDone, strings.ReplaceAll(geminiDone, "c1", "c2"), strings.ReplaceAll(geminiCall, "c1", "c3")}, signalled(9), emit.Crash, slices.Concat(
			[]string{geminiStep}, geminiCalled[:1], others(geminiCalled[:1], "c1", "c2"), geminiCalled[1:], []string{geminiFinish}, others(append(geminiCalled[1:3:3], geminiFinish), "c1", "c2"),
			[]string{`2 step_started`}, others(geminiCalled, "c1", "c3", "1 ", "2 "), []string{
				`2 tool_exec_finished error_kind="interrupted" ok=false status="error" tool="sh" tool_call_id="c3"`,
				`2 run_finished error="signal 9 ended the agent" error_code="signal_9" exit_reason="killed" ok=false tool_calls=3`},
		)},
		{"a duration of 0 is none", []string{geminiUser, strings.Replace(geminiOK, `"duration_ms":7`, `"duration_ms":0`, 1)}, exited(0), emit.Success, []string{
			geminiStep, `1 run_finished exit_reason="ok" ok=true tool_calls=0` + geminiUsage,
		}},
		{"the end of a call is torn", []string{geminiUser, geminiCall, geminiDone[:40]}, exited(0), emit.Violation, slices.Concat(
			[]string{geminiStep}, geminiCalled, []string{
				`1 tool_exec_finished error_kind="torn_line" ok=false status="error" tool="sh" tool_call_id="c1"`,
				`1 run_finished error="line 4 of the source cannot be read" error_code="torn_line" exit_reason="stream_invalid" ok=false tool_calls=1`},
		)},
	})
}

// others returns events with strings replaced.
func others(events []string, replaced ...string) (list []string) {
	for _, e := range events {
		list = append(list, strings.NewReplacer(replaced...).Replace(e))
	}
	return list
}

// What a result says of its failure, by what stands in it.
func TestGemini_Failures(t *testing.T) {
	api := func(message string) []string { return []string{geminiUser, geminiError("unknown", message)} }
	body := func(code, text string) string {
		return `[API Error: {\"error\":{\"code\":` + code + `,\"message\":\"` + text + `\"}}]`
	}
	failed := func(kind, text, status string) []string {
		return []string{
			geminiStep, `1 provider_error ` + kind + `message_short="` + text + `"` + status,
			`1 run_finished error="` + text + `" exit_reason="provider_error" ok=false tool_calls=0`,
		}
	}
	ended := func(reason, text string) []string {
		return []string{geminiStep, `1 run_finished error="` + text + `" exit_reason="` + reason + `" ok=false tool_calls=0`}
	}
	list := []mapping{
		{"400", api(body("400", "bad")), exited(144), "", failed(`kind="client" `, `bad`, ` status=400`)},
		{"401", api(body("401", "no key")), exited(145), "", failed(`kind="unauthorized" `, `no key`, ` status=401`)},
		{"429", api(body("429", "slow down") + `\nPlease wait`), exited(173), "", failed(`kind="rate_limit" `, `slow down`, ` status=429`)},
		{"500", api(body("500", "oh")), exited(244), "", failed(`kind="server" `, `oh`, ` status=500`)},
		{"a body in a body", api(body("503", `{\\\"error\\\":{\\\"code\\\":7,\\\"message\\\":\\\"inner\\\"}}`)), exited(247), "", failed(`kind="server" `, `inner`, ` status=503`)},
		{"cut", api(`[API Error: terminated]`), exited(1), "", failed(`kind="connection" `, `terminated`, ``)},
		{"no connection", api(`[API Error: exception TypeError: fetch failed]`), exited(1), "", failed(`kind="connection" `, `exception TypeError: fetch failed`, ``)},
		{"words", api(`[API Error: a [list] {of} words]`), exited(1), "", failed(``, `a [list] {of} words`, ``)},
		{"no words", []string{geminiUser, geminiError("unknown", "")}, exited(1), "", []string{
			geminiStep, `1 provider_error`, `1 run_finished error="provider_error" exit_reason="provider_error" ok=false tool_calls=0`,
		}},
		{"the key is refused", []string{geminiUser, geminiError("FatalAuthenticationError", "[API Error: log in]")}, exited(41), "", failed(`kind="unauthorized" `, `log in`, ``)},
		{"turns", []string{geminiUser, geminiError("FatalTurnLimitedError", "[API Error: turns]")}, exited(53), "", ended("max_steps", "turns")},
		{"cancelled", []string{geminiUser, geminiError("FatalCancellationError", "[API Error: Operation cancelled.]")}, exited(130), "", ended("cancelled", "Operation cancelled.")},
		{"input", []string{geminiUser, geminiError("FatalInputError", "[API Error: x]")}, exited(42), "", ended("pre_run_error", "x")},
		{"config", []string{geminiUser, geminiError("FatalConfigError", "[API Error: x]")}, exited(52), "", ended("pre_run_error", "x")},
		{"sandbox", []string{geminiUser, geminiError("FatalSandboxError", "[API Error: x]")}, exited(44), "", ended("pre_run_error", "x")},
		{"trust", []string{geminiUser, geminiError("FatalUntrustedWorkspaceError", "[API Error: x]")}, exited(55), "", ended("pre_run_error", "x")},
		{"a tool", []string{geminiUser, geminiError("FatalToolExecutionError", "[API Error: x]")}, exited(54), "", ended("internal_error", "x")},
		{"the disk", []string{geminiUser, geminiError("no_space_left", "x")}, exited(54), "", ended("internal_error", "x")},
		{"no cause", []string{geminiUser, `{"type":"result","status":"error"}`}, exited(0), "", ended("internal_error", "the agent reported a failure and no cause")},
		{"an error beside success", []string{geminiUser, `{"type":"result","status":"success","error":{"type":"unknown","message":"x"}}`}, exited(0), "", failed(``, `x`, ``)},
	}
	for status, reason := range map[int]string{42: "pre_run_error", 52: "pre_run_error", 53: "max_steps", 55: "pre_run_error", 130: "cancelled"} {
		list = append(list, mapping{"the exit status of " + reason, api(`[API Error: x]`), exited(status), "", []string{
			geminiStep, `1 provider_error message_short="x"`, `1 run_finished error="x" exit_reason="` + reason + `" ok=false tool_calls=0`,
		}})
	}
	for i := range list {
		list[i].class = emit.Failure
	}
	testMappings(t, "gemini", geminiInit, list)
}

// An error line is the end of the run when the result stands right behind it,
// whatever that says.
func TestGemini_Errors(t *testing.T) {
	line := func(severity, message string) string {
		return `{"type":"error","severity":"` + severity + `","message":"` + message + `"}`
	}
	var list []mapping
	for _, stop := range []struct{ severity, message, reason string }{
		{"error", "The model response was blocked due to safety settings.", "blocked"},
		{"error", "The model returned an empty response with no text or thoughts.", "blocked"},
		{"error", "The model returned reasoning thoughts but no final response text.", "blocked"},
		{"error", "Invalid stream: The model returned a malformed tool call.", "blocked"},
		{"error", "Model response was truncated because it exceeded the token limit.", "budget_exceeded"},
		{"error", "Maximum session turns exceeded", "max_steps"},
		{"warning", "Loop detected, stopping execution", "blocked"},
	} {
		want := []string{geminiStep, `1 step_blocked reason="` + stop.message + `"`}
		list = append(list,
			mapping{stop.message, []string{geminiUser, line(stop.severity, stop.message), geminiOK}, exited(0), emit.Failure, append(slices.Clone(want),
				`1 run_finished duration_ms=7 error="`+stop.message+`" exit_reason="`+stop.reason+`" ok=false tool_calls=0`+geminiUsage)},
			mapping{stop.message + " and on", []string{geminiUser, line(stop.severity, stop.message), geminiText("a"), geminiOK}, exited(0), emit.Success, append(slices.Clone(want),
				`1 run_finished duration_ms=7 exit_reason="ok" final_output="a" ok=true tool_calls=0`+geminiUsage)})
	}
	quota := line("error", `[API Error: {\"error\":{\"code\":429,\"message\":\"quota\"}}]`)
	list = append(list, mapping{"quota", []string{geminiUser, quota, geminiOK}, exited(0), emit.Failure, []string{
		geminiStep, `1 provider_error kind="rate_limit" message_short="quota" status=429`,
		`1 run_finished duration_ms=7 error="quota" exit_reason="provider_error" ok=false tool_calls=0` + geminiUsage,
	}}, mapping{"quota and no more", []string{geminiUser, quota}, exited(1), emit.Crash, []string{
		geminiStep, `1 provider_error kind="rate_limit" message_short="quota" status=429`,
		`1 run_finished error="the agent exited with status 1 and did not say how the run ended" error_code="no_terminal_event" exit_reason="provider_error" ok=false tool_calls=0`,
	}})
	testMappings(t, "gemini", geminiInit, list)
}

func TestGemini_Session(t *testing.T) {
	got := convert(t, "gemini", geminiInit+"\n"+geminiUser+"\n"+geminiInit+"\n"+geminiOK+"\n", exited(0))
	started, _ := got.events[0].Data.(*schema.RunStarted)
	if model, _ := started.Model.Get(); model != "gemini-2.5-pro" || got.events[0].RunID != "s-1" || got.Class != emit.Success {
		t.Errorf("model %q, run id %q, class %s", model, got.events[0].RunID, got.Class)
	}
}

func TestGemini_Start(t *testing.T) {
	args := []string{"--output-format", "stream-json", "--skip-trust"}
	quiet := []string{"GEMINI_TELEMETRY_ENABLED=false"}
	testStarts(t, "gemini", []start{
		{"of a user", adapter.Launch{Dir: "/d", Prompt: "p"}, adapter.Start{Args: args, Stdin: "p", Env: quiet}},
		{"with a model and arguments", adapter.Launch{Model: "m", Args: []string{"--approval-mode", "yolo"}}, adapter.Start{
			Args: append(slices.Clone(args), "-m", "m", "--approval-mode", "yolo"), Env: quiet,
		}},
		{"with a base URL", adapter.Launch{BaseURL: "http://localhost:1", Key: "GEMINI_API_KEY"}, adapter.Start{
			Args: args, Env: append(slices.Clone(quiet), "GOOGLE_GEMINI_BASE_URL=http://localhost:1"),
		}},
		{"in a private home", adapter.Launch{Home: "/h"}, adapter.Start{Args: args, Env: quiet, Files: map[string]string{
			".gemini/settings.json": `{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}` + "\n",
		}}},
		{"in a private home with a key", adapter.Launch{Home: "/h", Key: "GEMINI_API_KEY"}, adapter.Start{Args: args, Env: quiet, Files: map[string]string{
			".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}` + "\n",
		}}},
	})
}

type start struct {
	name   string
	launch adapter.Launch
	want   adapter.Start
}

// testStarts compares how an agent is started.
func testStarts(t *testing.T, agent string, list []start) {
	t.Helper()
	a, err := adapter.ByName(agent)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if diff := cmp.Diff(c.want, a.Start(c.launch)); diff != "" {
			t.Errorf("%s: start (-want +got):\n%s", c.name, diff)
		}
	}
}

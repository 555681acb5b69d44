package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// lastWords are the lines of an agent by which runs end: turn opens a turn of the main
// loop, next the one after it.
type lastWords struct {
	turn, next, ok, failed, call, childCall string
}

func ofChild(line string) string {
	return strings.Replace(line, `"parent_tool_use_id":null`, `"parent_tool_use_id":"t0"`, 1)
}

var words = map[string]lastWords{
	"claude": {
		turn: claudeInit + "\n" + claudeSays("m1", claudeText("a")), next: claudeSays("m2", claudeText("b")), ok: claudeOK,
		failed: claudeFailed(`"terminal_reason":"api_error","result":"API Error: 500 x"`), call: claudeSays("m1", claudeCall), childCall: ofChild(claudeSays("s1", claudeCall)),
	},
	"codex": {turn: codexThread + "\n" + codexTurn, next: codexTurn, ok: codexOK, failed: codexFailed("x"), call: codexBegin},
	"copilot": {
		turn: copilotFirst + "\n" + copilotTurn, next: copilotLine("assistant.turn_start", 9500, `{"turnId":"1"}`), ok: copilotResult("0"),
		failed: copilotResult("1"), call: copilotLine("tool.execution_start", 9600, `{"toolCallId":"c1","toolName":"bash","arguments":{}}`),
		childCall: copilotLine("tool.execution_start", 9600, `{"parentToolCallId":"c0","toolCallId":"c1","toolName":"bash","arguments":{}}`),
	},
	"gemini": {turn: geminiInit + "\n" + geminiUser + "\n" + geminiText("a"), next: geminiText("b"), ok: geminiOK, failed: geminiError("unknown", "[API Error: x]"), call: geminiCall},
	"opencode": {
		turn: opencodeStart("m1"), next: opencodeStart("m2"), ok: opencodeFinish("m1", "stop"), failed: opencodeError(`{"name":"UnknownError","data":{"message":"x"}}`),
		call: opencodeTool(`"status":"completed","output":"a","metadata":{"exit":0}`),
	},
	"qwen": {
		turn: qwenInit + "\n" + qwenSays("m1", claudeText("a")), next: qwenSays("m2", claudeText("b")), ok: qwenOK,
		failed: `{"type":"result","subtype":"error_during_execution","session_id":"s-1","is_error":true,"error":{"message":"[API Error: 500 x]"}}`,
		call:   qwenSays("m2", qwenCall), childCall: ofChild(qwenSays("s1", qwenCall)),
	},
}

// TestEnds_Twice: of two ends of one turn a failure stands, a success after it
// contradicts it, and so does a call of the main loop after the last one. Only where an
// agent has an end for each turn the last one decides.
func TestEnds_Twice(t *testing.T) {
	const contradiction = "violation stream_invalid"
	for agent, w := range words {
		perTurn := agent == "claude" || agent == "opencode"
		failure := "failure provider_error"
		if agent == "copilot" {
			failure = "failure internal_error"
		}
		after := map[bool]string{true: "success ok", false: contradiction}[perTurn]
		for name, c := range map[string]struct {
			lines []string
			want  string
		}{
			"success twice":               {[]string{w.ok, w.ok}, "success ok"},
			"failure twice":               {[]string{w.failed, w.failed}, failure},
			"success, failure":            {[]string{w.ok, w.failed}, failure},
			"success, failure, success":   {[]string{w.ok, w.failed, w.ok}, contradiction},
			"failure, success":            {[]string{w.failed, w.ok}, contradiction},
			"failure, turn, success":      {[]string{w.failed, w.next, strings.Replace(w.ok, "m1", "m2", 1)}, after},
			"success, turn, failure":      {[]string{w.ok, w.next, w.failed}, failure},
			"success, turn":               {[]string{w.ok, w.next}, "violation no_terminal_event"},
			"success, call":               {[]string{w.ok, w.call}, contradiction},
			"failure, call":               {[]string{w.failed, w.call}, contradiction},
			"success, turn, call":         {[]string{w.ok, w.next, w.call}, contradiction},
			"success, call of a subagent": {[]string{w.ok, w.childCall}, "success ok"},
		} {
			if c.lines[len(c.lines)-1] == "" {
				continue // no subagent shows in the stream
			}
			t.Run(agent+"/"+name, func(t *testing.T) {
				got := convert(t, agent, w.turn+"\n"+strings.Join(c.lines, "\n")+"\n", exited(0))
				if s := string(got.Class) + " " + got.terminal().ExitReason; s != c.want {
					t.Errorf("class and reason: got %s, want %s\n%s", s, c.want, got.lines)
				}
				if n := count(got, schema.TypeProviderError); name == "failure twice" && n > 1 {
					t.Errorf("provider errors: got %d, want one at most", n)
				}
				found := false
				for _, f := range got.facts {
					found = found || f.Kind == emit.Contradiction
				}
				if found != (c.want == contradiction) {
					t.Errorf("facts: got %v, want a contradiction: %t", got.facts, !found)
				}
			})
		}
	}
	if len(words) != len(adapter.Names()) {
		t.Errorf("there are the last words of %d agents, want %d", len(words), len(adapter.Names()))
	}
}

// TestEnds_OfTheProgram: a source that does not say how the run ended, one that says
// something else than the program's exit status, and one of two sessions.
func TestEnds_OfTheProgram(t *testing.T) {
	const silent, second = "no_terminal_event no_terminal_event", "violation stream_invalid second_session a second session begins in the source"
	session := strings.NewReplacer(`"s-1"`, `"other"`, `"t-1"`, `"other"`, `"ses_1"`, `"other"`)
	for agent, w := range words {
		for _, c := range []struct {
			name, line string
			end        emit.End
			want       string
		}{
			{"no end", "", exited(0), "violation " + silent + " the agent did not say how the run ended"},
			{"an exit status", "", exited(1), "crash " + silent + " the agent exited with status 1 and did not say how the run ended"},
			{"SIGINT", "", signalled(2), "crash cancelled signal_2 signal 2 ended the agent"},
			{"silent until the deadline", "", emit.End{TimedOut: true}, "timeout timeout timeout the agent did not end in time"},
			{"a success and an exit status", w.ok, exited(1), "failure internal_error exit_status the agent reported success and exited with status 1"},
			{"another session", session.Replace(w.turn) + "\n" + w.ok, exited(0), second},
			{"the result of another session", session.Replace(w.ok), exited(0), second},
			{"two results of two sessions", w.ok + "\n" + session.Replace(w.ok), exited(0), second},
		} {
			first := agent == "copilot" && !strings.Contains(c.line, `"s-1"`) // which names the session at the end alone
			if c.want == second && (first || !strings.Contains(c.line, `"other"`)) {
				continue // the lines show one session at most
			}
			got := convert(t, agent, w.turn+"\n"+c.line+"\n", c.end)
			end := got.terminal()
			code, _ := end.ErrorCode.Get()
			said := fmt.Sprintf("%s %s %s", got.Class, end.ExitReason, code)
			if end.Error != nil {
				said += " " + *end.Error
			}
			if said != c.want {
				t.Errorf("%s, %s: got %s, want %s", agent, c.name, said, c.want)
			}
		}
	}
}

func count(c converted, kind schema.Type) (n int) {
	for _, e := range c.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

package adapter_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

// places are where names stand in the stream of an agent: %s in lines that follow the
// begin of a turn. Those of types hold all that any type has.
var places = map[string]string{
	"claude type": `{"type":"%s","subtype":"%s","session_id":"s-1","message":{"id":"m9","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t1","content":"x"}]},` +
		`"tool_use_id":"t9","tool_name":"Read","task_id":"b9","description":"y","status":"failed","summary":"x","patch":{"status":"completed"},"is_backgrounded":true,"tasks":[{"task_id":"b8"}],` +
		`"new_conversation_id":"s-2","content":"x","prevent_continuation":true,"output":"{\"continue\":false}","failed":[{"filename":"a"}],"lost":["transcript"],"error":"x","is_error":true,"permissionMode":"plan"}` +
		"\n" + claudeSays("m10", ""),
	"claude type conversation_reset": `{"type":"%s","session_id":"s-1","new_conversation_id":"s-2"}` + "\n" + `{"type":"user","session_id":"s-2","message":{"content":"x"}}`,
	"claude block":                   claudeSays("m9", `{"type":"%s","id":"t9","name":"n","input":{},"tool_use_id":"t8","text":"x","thinking":"x","content":[{"type":"text","text":"x"}]},{"type":"tool_use","id":"t11","name":"n","input":{}}`),
	"claude part":                    claudeResult(`"content":[{"type":"%s","text":"x","source":{"type":"text","data":"y"},"content":[],"title":"x"}]`, claudeAccept, `{}`),
	"claude subtype":                 `{"type":"result","subtype":"%s","session_id":"s-1","is_error":false}`,
	"claude terminal_reason":         `{"type":"result","subtype":"success","session_id":"s-1","is_error":false,"terminal_reason":"%s"}`,
	"claude error": strings.Replace(claudeSays("m9", claudeText("x")), `"session_id"`, `"error":"%s","is_api_error_message":true,"session_id"`, 1) + "\n" +
		claudeFailed(`"terminal_reason":"api_error","result":"x"`),
	"claude task":        `{"type":"system","subtype":"task_notification","session_id":"s-1","task_id":"b9","status":"%s"}`,
	"claude task_update": `{"type":"system","subtype":"task_updated","session_id":"s-1","task_id":"b9","patch":{"status":"%s"}}`,
	"claude reset":       `{"type":"conversation_reset","session_id":"s-1","trigger":"%s"}`,
	"claude startup":     claudeFailed(`"startup_failure_reason":"%s"`),

	"codex type":                `{"type":"%s","thread_id":"t-1","item":{"id":"i9","type":"agent_message","text":"x"},"message":"x","error":{"message":"x"},"usage":{"input_tokens":5,"output_tokens":5}}`,
	"codex type thread.started": "^" + codexThread,
	"codex type item.started":   codexBegin,
	"codex item":                codexItem(`"id":"i9","type":"%s","text":"x","message":"event stream lagged","command":"ls","exit_code":0,"status":"completed","query":"q","tool":"t","items":[]`),
	"codex command":             codexItem(`"id":"i9","type":"command_execution","command":"ls","exit_code":0,"status":"%s"`),
	"codex patch":               codexItem(`"id":"i9","type":"file_change","changes":[],"status":"%s"`),
	"codex mcp":                 codexItem(`"id":"i9","type":"mcp_tool_call","server":"s","tool":"t","status":"%s"`),

	"copilot type":                            copilotLine("%s", 3, `{"content":"x","toolRequests":[],"turnId":"9","toolCallId":"c1","toolName":"bash","arguments":{},"success":true,"shellExecution":{"exitCode":0},"message":"x","agentName":"a","error":"x","result":{"kind":"approved","content":"x"},"model":"m9"}`),
	"copilot type user.message":               "^" + copilotLine("%s", 3, `{"content":"x"}`),
	"copilot type subagent.started":           strings.Replace(copilotLine("%s", 3, `{"toolCallId":"c1"}`), `"type"`, `"agentId":"a1","type"`, 1) + "\n" + strings.NewReplacer(`{"type"`, `{"agentId":"a1","type"`, "c1", "c2").Replace(copilotCall()[0]),
	"copilot ephemeral session.tools_updated": "^" + copilotModel,
	"copilot ephemeral":                       piece("%s", 3, `{"statusCode":429,"retryAttempt":0,"model":"m9"}`) + "\n" + piece("assistant.turn_retry", 4, `{"turnId":"0"}`),
	"copilot answer":                          copilotLine("permission.completed", 5, `{"toolCallId":"c1","result":{"kind":"%s"}}`),
	"copilot abort":                           copilotLine("abort", 5, `{"reason":"%s"}`),
	"copilot failure":                         piece("model.call_failure", 3, `{"failureKind":"%s","retryAttempt":0}`) + "\n" + piece("assistant.turn_retry", 4, `{"turnId":"0"}`),
	"copilot part":                            copilotDone(`"success":true,"result":{"content":"","contents":[{"type":"%s","text":"x","data":"AAAA","resource":{"text":"y"}}]}`),

	"gemini type":      `{"type":"%s","session_id":"s-1","role":"assistant","content":"x","tool_id":"c9","tool_name":"sh","status":"error","severity":"error","message":"x","error":{"type":"x","message":"x"}}`,
	"gemini type init": "^" + geminiInit,
	"gemini role":      `{"type":"message","role":"%s","content":"x"}`,
	"gemini tool":      `{"type":"tool_result","tool_id":"c9","status":"%s","output":"x"}`,
	"gemini severity":  `{"type":"error","severity":"%s","message":"Agent execution blocked: x"}`,
	"gemini status":    `{"type":"result","status":"%s"}`,

	"opencode type":   opencodeLine("%s", `"part":{"messageID":"m1","callID":"c9","tool":"bash","text":"x","reason":"length","state":{"status":"completed"}},"error":{"name":"UnknownError","data":{"message":"x"}},"reason":"x"`),
	"opencode tool":   opencodeTool(`"status":"%s","output":"x","metadata":{"exit":0}`),
	"opencode finish": opencodeLine("step_finish", `"part":{"messageID":"m1","reason":"%s"}`),
	"opencode name":   opencodeError(`{"name":"%s","data":{"message":"x","statusCode":429}}`),
	"opencode error":  opencodeError(`{"type":"%s","message":"x"}`),

	"qwen type":             `{"type":"%s","subtype":"%s","session_id":"s-1","message":{"id":"m9","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"c1","content":"x"}]},"model":"m9"}`,
	"qwen type result":      strings.Replace(qwenOK, "success", "error_max_turns", 1),
	"qwen type system/init": strings.Replace(qwenInit, "default", "plan", 1) + "\n" + qwenSays("m9", ""),
	"qwen block":            qwenSays("m9", `{"type":"%s","id":"t9","name":"n","input":{},"tool_use_id":"t8","text":"x","thinking":"x","content":"x"},{"type":"tool_use","id":"t11","name":"n","input":{}}`),
	"qwen subtype":          `{"type":"result","subtype":"%s","session_id":"s-1","is_error":false}`,
}

// before is what comes between the start of the turn and the lines of a place.
var before = map[string]string{
	"claude":  claudeSays("m1", claudeCall) + "\n" + `{"type":"system","subtype":"task_started","session_id":"s-1","task_id":"b9","description":"x","is_backgrounded":true}`,
	"copilot": copilotCall()[0],
	"qwen":    qwenSays("m1", qwenCall),
}

// TestPublished: each name in the published types of the agents is converted, or listed
// with the reason why it makes no difference. A type makes one if the stream differs from
// that without the line, and a value if it differs from that with a value of no meaning.
func TestPublished(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "published.txt"))
	if err != nil {
		t.Fatal(err)
	}
	agent := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		names, reason, _ := strings.Cut(line, ": ")
		place, names, _ := strings.Cut(names, " ")
		if place == "agent" {
			agent, _, _ = strings.Cut(names, " ")
			continue
		}
		without := "no-such-value"
		if place == "type" || place == "ephemeral" || place == "item" {
			without = ""
		}
		for _, name := range strings.Fields(names) {
			got, facts := publishedAs(t, agent, place, name, name)
			other, _ := publishedAs(t, agent, place, name, without)
			switch differs := got != other; {
			case slices.ContainsFunc(facts, func(f emit.Fact) bool { return f.Kind == emit.Unmapped }):
				t.Errorf("%s: %s %s is not known", agent, place, name)
			case differs == (reason != ""):
				t.Errorf("%s: %s %s makes a difference: %t; the reason why not is %q", agent, place, name, differs, reason)
			}
		}
	}
}

// publishedAs converts a stream that has a value at the place of a name, and returns what
// it becomes, without that value. No value stands for no line.
func publishedAs(t *testing.T, agent, place, name, value string) (events string, facts []emit.Fact) {
	t.Helper()
	template := cmp.Or(places[agent+" "+place+" "+name], places[agent+" "+place])
	if template == "" {
		t.Fatalf("%s has no place %s", agent, place)
	}
	lines, alone := strings.CutPrefix(template, "^")
	if kind, sub, _ := strings.Cut(value, "/"); value != "" {
		lines = strings.Replace(strings.Replace(lines, "%s", kind, 1), "%s", sub, 1)
	} else {
		_, lines, _ = strings.Cut(lines, "\n")
	}
	stream := []string{words[agent].turn, before[agent], lines}
	if alone {
		stream = []string{lines}
	} else if !strings.Contains(lines, `"type":"result"`) && !strings.Contains(lines, `"turn.`) {
		stream = append(stream, words[agent].ok)
	}
	stream = slices.DeleteFunc(stream, func(s string) bool { return s == "" })
	got := convertWith(t, agent, strings.Join(stream, "\n")+"\n", exited(0), emit.Options{Version: "1"})
	var b strings.Builder
	for _, e := range got.events {
		fmt.Fprintln(&b, brief(t, e))
	}
	for _, f := range got.facts {
		fmt.Fprintln(&b, f.Kind, f.Name)
	}
	all := fmt.Sprint(b.String(), got.Class)
	if value != "" {
		all = regexp.MustCompile(`\b`+regexp.QuoteMeta(value)+`\b`).ReplaceAllString(all, "V")
	}
	return all, got.facts
}

package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// callFacts is what a converted stream says of each call, in the order of their begin.
func callFacts(c converted) (facts []string) {
	at := map[string]int{}
	for _, e := range c.events {
		switch d := e.Data.(type) {
		case *schema.ToolCallDetected:
			args, _ := d.ArgumentsPreview.Get()
			parent, _ := d.ParentCallID.Get()
			at[*d.ToolCallID] = len(facts)
			facts = append(facts, strings.TrimSpace(fmt.Sprintf("%s %s %s", *d.Tool, args, parent)))
		case *schema.ToolExecFinished:
			exit, ok := d.ExitStatus.Get()
			text := ""
			if d.ContentPreview != nil {
				text = *d.ContentPreview
			}
			if kind, _ := d.ErrorKind.Get(); kind != "" {
				text = kind
			}
			if ok {
				text += fmt.Sprintf(" (%d)", exit)
			}
			facts[at[*d.ToolCallID]] += fmt.Sprintf(": %t %s", *d.OK, text)
		}
	}
	return facts
}

// TestCalls_LateAndForeign: a call whose arguments only its end shows, and one that the
// provider runs.
func TestCalls_LateAndForeign(t *testing.T) {
	search := func(state, members string) string {
		return `{"type":"item.` + state + `","item":{"id":"item_1","type":"web_search","id":"ws_1",` + members + `}}`
	}
	agents := func(state, members string) string {
		return `{"type":"item.` + state + `","item":{"id":"item_1","type":"collab_tool_call",` + members + `}}`
	}
	server := func(blocks string) []string { return []string{claudeInit, claudeSays("m1", blocks), claudeOK} }
	for _, tt := range []struct {
		name, agent string
		lines, want []string
	}{
		{"a query at the end", "codex", []string{codexThread, codexTurn, search("started", `"query":"","action":{"type":"other"}`), search("completed", `"query":"go","action":{"type":"search","query":"go"}`), codexOK},
			[]string{`web_search {"query":"go"}: true`}},
		{"a page without a query", "codex", []string{codexThread, codexTurn, search("started", `"query":""`), search("completed", `"query":"","action":{"type":"open_page","url":"u"}`), codexOK},
			[]string{`web_search {"action":{"type":"open_page","url":"u"}}: true`}},
		{"a search that never ends", "codex", []string{codexThread, codexTurn, search("started", `"query":""`), codexOK}, []string{`web_search: false interrupted`}},
		{"a query at the start", "codex", []string{codexThread, codexTurn, search("started", `"query":"go"`), search("completed", `"query":"go"`), codexOK}, []string{`web_search {"query":"go"}: true`}},
		{"sub-agents that are known late", "codex", []string{
			codexThread, codexTurn, agents("started", `"tool":"wait","receiver_thread_ids":[],"prompt":null`),
			agents("completed", `"tool":"wait","receiver_thread_ids":["t1"],"prompt":null,"agents_states":{"t1":{"status":"completed","message":"found"},"t2":{"status":"running","message":null}},"status":"completed"`), codexOK,
		}, []string{`wait {"receiver_thread_ids":["t1"]}: true t1: completed: found` + "\n" + `t2: running`}},
		{"structured content", "codex", []string{codexThread, codexTurn,
			codexItem(`"id":"c1","type":"mcp_tool_call","server":"s","tool":"t","arguments":{},"result":{"content":[],"structured_content":{"n":1}},"status":"completed"`), codexOK},
			[]string{`s.t {}: true {"n":1}`}},
		{"a search by the provider", "claude", server(`{"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"go"}},` +
			`{"type":"web_search_tool_result","tool_use_id":"srv1","content":[{"type":"web_search_result","url":"u","title":"Go"}]}`), []string{`web_search {"query":"go"}: true [web_search_result u]`}},
		{"a failed search by the provider", "claude", server(`{"type":"server_tool_use","id":"srv1","name":"web_search","input":{}},` +
			`{"type":"web_search_tool_result","tool_use_id":"srv1","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}`), []string{`web_search {}: false max_uses_exceeded`}},
		{"a command by the provider", "claude", server(`{"type":"server_tool_use","id":"srv1","name":"bash_code_execution","input":{}},` +
			`{"type":"bash_code_execution_tool_result","tool_use_id":"srv1","content":{"type":"bash_code_execution_result","stdout":"out","stderr":"","return_code":2}}`), []string{`bash_code_execution {}: false out (2)`}},
		{"a tool of a server that the provider calls", "claude", server(`{"type":"mcp_tool_use","id":"srv1","name":"find","server_name":"docs","input":{}},` +
			`{"type":"mcp_tool_result","tool_use_id":"srv1","is_error":false,"content":[{"type":"text","text":"a"}]}`), []string{`docs.find {}: true a`}},
		{"parts of a result", "copilot", []string{copilotFirst, copilotTurn, copilotCall()[1],
			copilotDone(`"success":true,"result":{"content":"","contents":[{"type":"image","data":"AAAA","mimeType":"image/png"}]},"shellExecution":{"exitCode":0}`), copilotEnd},
			[]string{`bash {"command":"ls"}: true [image image/png, 3 bytes] (0)`}},
		{"the second version", "opencode", []string{opencodeStart("m1"), opencodeLine("tool_use", `"part":{"partID":"p","messageID":"m1","tool":"read","id":"c1","state":{"status":"completed","input":{},"output":"",`+
			`"metadata":{"metadata":{"truncated":false},"content":[{"type":"file","uri":"data:image/png;base64,AAAA"}]}}}`)}, []string{`read {}: true [file image/png, 3 bytes]`}},
		{"a denial of the second version", "opencode", []string{opencodeStart("m1"), opencodeLine("tool_use", `"part":{"partID":"p","messageID":"m1","tool":"shell","id":"c1","state":{"status":"error","input":{},`+
			`"error":"This non-interactive run cannot ask the user for permission, so the request was rejected. Continue without this action."}}`)}, []string{`shell {}`}},
	} {
		got := callFacts(convert(t, tt.agent, strings.Join(tt.lines, "\n")+"\n", exited(0)))
		for i := range got {
			got[i] = strings.TrimSpace(got[i])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestSubagents: they make no step, answer or end; their calls name the call that
// started them, if the source does.
func TestSubagents(t *testing.T) {
	of := func(agent, line string) string {
		return strings.Replace(line, `"type"`, `"agentId":"`+agent+`","type"`, 1)
	}
	asks := func(id, tool string) string {
		return copilotLine("assistant.message", 3, `{"content":"","toolRequests":[{"toolCallId":"`+id+`","name":"`+tool+`","arguments":{}}]}`)
	}
	background := strings.NewReplacer(`"parent_tool_use_id":null`, `"parent_tool_use_id":null,"agent_id":"b1"`, `"t1"`, `"t2"`)
	for _, tt := range []struct {
		name, agent string
		lines, want []string
	}{
		{"in the background", "claude", []string{
			claudeInit, claudeSays("m1", claudeCall), `{"type":"system","subtype":"task_started","task_id":"b1","tool_use_id":"t1","session_id":"s-1"}`,
			background.Replace(claudeSays("m2", claudeText("sub")+","+claudeCall)), claudeOK,
		}, []string{`Bash {"command":"ls"}: false interrupted`, `Bash {"command":"ls"} t1: false interrupted`}},
		{"named when it starts", "copilot", []string{
			copilotFirst, copilotTurn, asks("t1", "task"), asks("t2", "task"), of("a2", copilotLine("subagent.started", 3, `{"toolCallId":"t2","agentName":"explore"}`)),
			of("a2", copilotLine("assistant.turn_start", 3, `{"turnId":"0"}`)), of("a2", asks("g2", "grep")), of("a1", asks("g1", "grep")),
			of("a2", copilotLine("assistant.message", 3, `{"content":"sub","toolRequests":[]}`)), of("a2", copilotLine("abort", 3, `{}`)), copilotEnd,
		}, []string{`task {}`, `task {}`, `grep {} t2`, `grep {}`}},
		{"named by nothing, of one call", "copilot", []string{
			copilotFirst, copilotTurn, asks("t1", "task"), of("a1", asks("g1", "grep")), of("a1", asks("g2", "grep")), copilotEnd,
		}, []string{`task {}`, `grep {} t1`, `grep {} t1`}},
	} {
		got := convert(t, tt.agent, strings.Join(tt.lines, "\n")+"\n", exited(0))
		if diff := cmp.Diff(tt.want, callFacts(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		steps, _ := got.terminal().Steps.Get()
		if got.Class != emit.Success || steps != 1 || got.Final == "sub" {
			t.Errorf("%s: %s, %d steps, answer %q, want a success of one step without the sub-agent's answer", tt.name, got.Class, steps, got.Final)
		}
	}
}

// TestUsage_InputAndOutputAreTheTotal, where an agent reports no total of its own.
func TestUsage_InputAndOutputAreTheTotal(t *testing.T) {
	const tokens = `"input_tokens":2,"cache_creation_input_tokens":4,"cache_read_input_tokens":8,"output_tokens":16`
	for _, tt := range []struct{ agent, line, want string }{
		{"claude", strings.Replace(claudeOK, `"usage":{`, `"usage":{`+tokens+`},"x":{`, 1), "14 16 30 8"},
		{"claude", strings.Replace(claudeOK, `"usage":{`, `"modelUsage":{"a":{"inputTokens":1,"outputTokens":2},"b":{"inputTokens":4,"outputTokens":8,"cacheReadInputTokens":16}},"usage":{`, 1), "21 10 31 16"},
		{"codex", `{"type":"turn.completed","usage":{"input_tokens":8,"cached_input_tokens":4,"output_tokens":2,"reasoning_output_tokens":1}}`, "8 2 10 4"},
		{"gemini", strings.Replace(geminiOK, `"total_tokens":12,`, "", 1), "9 3 12 4"},
		{"gemini", strings.Replace(geminiOK, `"total_tokens":12,`, `"total_tokens":20,`, 1), "9 3 20 4"},
		{"opencode", opencodeLine("step_finish", `"part":{"messageID":"m1","reason":"stop","tokens":{"input":1,"output":2,"reasoning":4,"cache":{"write":8,"read":16}}}`), "25 6 31 16"},
		{"qwen", strings.Replace(qwenOK, `"usage":{`, `"usage":{"input_tokens":8,"output_tokens":2,"cache_read_input_tokens":4},"x":{`, 1), "8 2 10 4"},
	} {
		got, ok := convert(t, tt.agent, words[tt.agent].turn+"\n"+tt.line+"\n", exited(0)).terminal().Usage.Get()
		if !ok || got.InputTokens == nil || got.OutputTokens == nil || got.TotalTokens == nil || got.CachedInputTokens == nil {
			t.Errorf("%s: usage of %s is %+v, want all counts", tt.agent, tt.line, got)
			continue
		}
		if s := fmt.Sprint(*got.InputTokens, *got.OutputTokens, *got.TotalTokens, *got.CachedInputTokens); s != tt.want {
			t.Errorf("%s: usage of %s = %s, want %s", tt.agent, tt.line, s, tt.want)
		}
	}
}

// TestCalls_TextAndParent: a call has what the model said since the one before, in the
// main loop or as the same sub-agent, and the call that started the sub-agent.
func TestCalls_TextAndParent(t *testing.T) {
	long := strings.Repeat("x", schema.MaxTextBytes)
	for agent, lines := range map[string][]string{
		"claude": {
			claudeInit, claudeSays("m1", claudeText("one")), claudeSays("m1", claudeText(long)+","+claudeCall),
			strings.Replace(claudeSays("s1", claudeText("sub")+","+others([]string{claudeCall}, "t1", "t2")[0]), `_id":null`, `_id":"t1"`, 1),
			claudeSays("m2", claudeText("two")+","+others([]string{claudeCall}, "t1", "t3")[0]+","+others([]string{claudeCall}, "t1", "t4")[0]),
		},
		"codex": {
			codexThread, codexTurn, codexItem(`"id":"m","type":"reasoning","text":"secret"`), codexItem(`"id":"m","type":"agent_message","text":"one"`),
			codexItem(`"id":"m","type":"agent_message","text":"` + long + `"`), others([]string{codexBegin}, "c1", "t1")[0],
			codexItem(`"id":"m","type":"agent_message","text":"two"`), others([]string{codexBegin}, "c1", "t3")[0], others([]string{codexBegin}, "c1", "t4")[0],
		},
		"copilot": {
			copilotFirst, copilotTurn, copilotLine("assistant.message", 3, `{"content":"one","toolRequests":[]}`),
			copilotLine("assistant.message", 3, `{"content":"`+long+`","toolRequests":[{"toolCallId":"t1","name":"task"}]}`),
			copilotLine("assistant.message", 3, `{"parentToolCallId":"t1","content":"sub","toolRequests":[{"toolCallId":"t2","name":"bash"}]}`),
			copilotLine("assistant.message", 3, `{"content":"two","toolRequests":[{"toolCallId":"t3","name":"bash"},{"toolCallId":"t4","name":"bash"}]}`),
		},
		"gemini": {
			geminiInit, geminiUser, geminiText("one\\n"), geminiText(long[:1000]), geminiText(long[1000:]), others([]string{geminiCall}, "c1", "t1")[0],
			geminiText("two"), others([]string{geminiCall}, "c1", "t3")[0], others([]string{geminiCall}, "c1", "t4")[0],
		},
		"opencode": {
			opencodeStart("m1"), opencodeText("m1", "one"), opencodeText("m1", long),
			others([]string{opencodeTool(`"status":"completed","output":"a"`)}, "c1", "t1")[0], opencodeText("m2", "two"),
			others([]string{opencodeTool(`"status":"completed","output":"a"`)}, "c1", "t3")[0], others([]string{opencodeTool(`"status":"completed","output":"a"`)}, "c1", "t4")[0],
		},
		"qwen": {
			qwenInit, qwenSays("m1", claudeText("one")), qwenSays("m2", claudeText(long)+","+others([]string{qwenCall}, "c1", "t1")[0]),
			strings.Replace(qwenSays("s1", claudeText("sub")+","+others([]string{qwenCall}, "c1", "t2")[0]), `_id":null`, `_id":"t1"`, 1),
			qwenSays("m3", claudeText("two")+","+others([]string{qwenCall}, "c1", "t3")[0]+","+others([]string{qwenCall}, "c1", "t4")[0]),
		},
	} {
		var got []string
		for _, e := range convert(t, agent, strings.Join(lines, "\n")+"\n", exited(0)).events {
			if d, ok := e.Data.(*schema.ToolCallDetected); ok {
				text, _ := d.TextPreview.Get()
				size, _ := d.TextBytes.Get()
				parent, _ := d.ParentCallID.Get()
				got = append(got, fmt.Sprint(*d.ToolCallID, " ", strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "xx", ""), len(text), size, parent, d.TruncatedFields))
			}
		}
		want := []string{"t1 one 2048 2052[{text_preview 2052}]", "t2 sub3 3t1[]", "t3 two3 3[]", "t4 0 0[]"}
		if strings.Contains(strings.Join(lines, ""), "sub") == false {
			want = append(want[:1], want[2:]...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls of %s (-want +got):\n%s", agent, diff)
		}
	}
}

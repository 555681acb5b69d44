package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

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

package adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

// TestUnmapped: lines of a type that nobody knows, or without what their type has, make
// no event and are noted by the name of their type.
func TestUnmapped(t *testing.T) {
	const typeless = "(no type)"
	for agent, lines := range map[string]map[string][]string{
		"claude": {
			"never.seen": {`{"type":"never.seen"}`}, "system/never_seen": {`{"type":"system","subtype":"never_seen"}`}, "assistant": {`{"type":"assistant","message":{"content":7}}`},
			"user":                     {`{"type":"user","message":"hello"}`, `{"type":"user","message":{"content":[{"type":"tool_result"}]}}`},
			"system/permission_denied": {`{"type":"system","subtype":"permission_denied"}`},
		},
		"codex": {
			"never.seen": {`{"type":"never.seen"}`}, "error": {`{"type":"error","message":1}`},
			"item.completed": {`{"type":"item.completed"}`, codexItem(`"id":"x","type":"never_seen"`), codexItem(`"type":"command_execution"`)},
		},
		"copilot": {
			"": {piece("never.seen", 1, `{}`)}, "never.seen": {copilotLine("never.seen", 1, `{}`)}, "***e***ion.idle": {piece("***e***ion.idle", 1, `{}`)}, typeless: {`{"data":{}}`},
			"assistant.turn_start":    {copilotLine("assistant.turn_start", 1, `{}`)},
			"assistant.message":       {copilotLine("assistant.message", 1, `{"content":1}`)},
			"tool.execution_start":    {copilotLine("tool.execution_start", 1, `{}`)},
			"tool.execution_complete": {copilotLine("tool.execution_complete", 1, `{"success":true}`), copilotLine("tool.execution_complete", 1, `{"toolCallId":"c1"}`)},
			"permission.completed":    {copilotLine("permission.completed", 1, `{"toolCallId":"c1"}`)},
			"session.error":           {copilotLine("session.error", 1, `{"message":null}`)},
			"result":                  {`{"type":"result","timestamp":"2026-11-20T20:00:09Z","exitCode":""}`},
		},
		"gemini": {
			"never.seen": {`{"type":"never.seen"}`}, "error": {`{"type":"error"}`}, "result": {`{"type":"result"}`, `{"type":"result","status":true}`},
			"message":     {`{"type":"message","role":"assistant"}`, `{"type":"message","role":"system","content":"a"}`},
			"tool_use":    {`{"type":"tool_use","tool_name":"sh"}`, `{"type":"tool_use","tool_id":"c1"}`},
			"tool_result": {`{"type":"tool_result","tool_id":"c1"}`, `{"type":"tool_result","status":"success"}`},
		},
		"opencode": {
			"never.seen": {opencodeLine("never.seen", `"a":1`)}, "step_start": {opencodeLine("step_start", `"part":{}`)}, "error": {opencodeError(`"no"`)},
			"text":     {opencodeLine("text", `"part":{"messageID":"m1"}`), opencodeLine("text", `"part":1`)},
			"tool_use": {opencodeTool(`"status":"running"`), strings.Replace(opencodeTool(`"status":"completed"`), `"c1"`, `1`, 1)}, "step_finish": {opencodeLine("step_finish", `"reason":"stop"`)},
		},
		"qwen": {
			"never.seen": {`{"type":"never.seen"}`}, "system/never_seen": {`{"type":"system","subtype":"never_seen"}`}, "assistant": {`{"type":"assistant","message":[]}`},
			"user": {`{"type":"user","message":{"content":null}}`, `{"type":"user","message":{"content":[{"type":"tool_result"}]}}`},
			"":     {`{"type":"system","subtype":"task_started","session_id":"s-1"}`, `{"type":"system","subtype":"worktree_started","session_id":"s-1"}`, `{"type":"system","subtype":"model_fallback","session_id":"s-1"}`},
		},
	} {
		w := words[agent]
		without := len(convert(t, agent, w.turn+"\n"+w.ok+"\n", exited(0)).events)
		for name, list := range lines {
			for _, line := range list {
				want := []emit.Fact{{Line: strings.Count(w.turn, "\n") + 2, Kind: emit.Unmapped, Name: name}}
				if name == "" {
					want = nil
				}
				got := convert(t, agent, w.turn+"\n"+line+"\n"+w.ok+"\n", exited(0))
				if diff := cmp.Diff(want, got.facts); diff != "" || len(got.events) != without || got.Class != emit.Success {
					t.Errorf("%s: %s: got %d events and %s, want %d and success; facts (-want +got):\n%s", agent, line, len(got.events), got.Class, without, diff)
				}
			}
		}
	}
}

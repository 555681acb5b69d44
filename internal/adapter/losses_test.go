package adapter_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
)

// TestLosses: what an agent reports as lost or left undone is noted, in its words, and
// changes no end.
func TestLosses(t *testing.T) {
	system := func(subtype, members string) string {
		return `{"type":"system","subtype":"` + subtype + `",` + members + `,"session_id":"s-0"}`
	}
	for _, tt := range []struct{ agent, line, want string }{
		{"claude", system("task_notification", `"task_id":"b1","status":"failed","summary":"it failed with exit code 3"`), "it failed with exit code 3"},
		{"claude", system("task_notification", `"task_id":"b1","status":"stopped","summary":""`), "task b1: stopped"},
		{"claude", system("task_notification", `"task_id":"b1","status":"completed","summary":"done"`), ""},
		{"claude", system("task_notification", `"task_id":"b1","status":"stopped","ambient":true`), ""},
		{"claude", system("task_started", `"task_id":"b1","description":"npm run watch","is_backgrounded":true`), "still running at the end: npm run watch"},
		{"claude", system("task_started", `"task_id":"b1","description":"a sub-agent","is_backgrounded":false`), ""},
		{"claude", system("task_started", `"task_id":"b1","is_backgrounded":true`) + "\n" + system("task_updated", `"task_id":"b1","patch":{"status":"completed"}`), ""},
		{"claude", system("task_started", `"task_id":"b1","is_backgrounded":true`) + "\n" + system("task_updated", `"task_id":"b1","patch":{"status":"running"}`), "still running at the end: b1"},
		{"claude", system("task_started", `"task_id":"b1","description":"tests","is_backgrounded":true`) + "\n" + system("task_updated", `"task_id":"b1","patch":{"status":"failed"}`) +
			"\n" + system("task_notification", `"task_id":"b1","status":"failed"`), "tests: failed"},
		{"claude", system("background_tasks_changed", `"tasks":[{"task_id":"b1","description":"tests"},{"task_id":"b2","ambient":true}]`), "still running at the end: tests"},
		{"claude", system("background_tasks_changed", `"tasks":[{"task_id":"b1"}]`) + "\n" + system("background_tasks_changed", `"tasks":[]`), ""},
		{"claude", system("informational", `"level":"warning","content":"Stop hook denied","prevent_continuation":true`), "Stop hook denied"},
		{"claude", system("informational", `"level":"info","content":"hello"`), ""},
		{"claude", system("hook_response", `"hook_name":"Stop","output":"{\"continue\":false,\"stopReason\":\"no budget\"}"`), "no budget"},
		{"claude", system("hook_response", `"hook_name":"Stop","output":"{\"continue\":true}"`), ""},
		{"claude", system("files_persisted", `"failed":[{"filename":"a","error":"full"}]`), "file not saved: a: full"},
		{"claude", system("mirror_error", `"error":"timeout"`), "transcript not mirrored: timeout"},
		{"claude", system("session_writes_lost", `"error_code":"ENOSPC","lost":["transcript"]`), `session writes lost: ENOSPC ["transcript"]`},
		{"claude", strings.Replace(claudeOK, `"session_id"`, `"result_index":1,"session_id"`, 1), "results lost before the one with result_index 1"},
		{"codex", codexItem(`"id":"i","type":"error","message":"in-process app-server event stream lagged; dropped 7 events"`), "in-process app-server event stream lagged; dropped 7 events"},
		{"codex", codexItem(`"id":"i","type":"error","message":"a model is old"`), ""},
		{"codex", codexItem(`"id":"i","type":"collab_tool_call","tool":"wait","agents_states":{"t1":{"status":"errored","message":"no quota"}},"status":"completed"`), "sub-agent t1: errored: no quota"},
		{"copilot", copilotLine("subagent.failed", 3, `{"toolCallId":"c0","agentName":"explore","error":"no quota"}`), "sub-agent explore failed: no quota"},
		{"copilot", strings.Replace(copilotLine("session.error", 3, `{"message":"no quota"}`), `"type"`, `"agentId":"a1","type"`, 1), "sub-agent a1 failed: no quota"},
		{"copilot", copilotLine("system.notification", 3, `{"content":"x","kind":{"type":"shell_completed","shellId":"s1","exitCode":3,"description":"npm test"}}`), "in the background, exit status 3: npm test"},
		{"copilot", copilotLine("system.notification", 3, `{"content":"x","kind":{"type":"shell_completed","shellId":"s1","exitCode":0}}`), ""},
		{"copilot", copilotLine("system.notification", 3, `{"content":"x","kind":{"type":"agent_completed","agentId":"a1","status":"failed"}}`), "in the background, failed: a1"},
		{"copilot", copilotLine("session.task_complete", 3, `{"success":false,"reason":"no budget"}`), "task not complete: no budget"},
		{"codex", codexError("event stream lagged; dropped 3 events"), "event stream lagged; dropped 3 events"},
		{"gemini", `{"type":"error","severity":"warning","message":"Agent execution blocked: a hook"}`, "Agent execution blocked: a hook"},
		{"gemini", `{"type":"error","severity":"warning","message":"a word"}`, ""},
		{"qwen", system("task_notification", `"data":{"status":"failed","description":"npm test"}`), "npm test"},
		{"qwen", system("task_notification", `"status":"completed"`), ""},
	} {
		w := words[tt.agent]
		got := convert(t, tt.agent, strings.Join([]string{w.turn, tt.line, w.ok}, "\n")+"\n", exited(0))
		var losses []string
		for _, f := range got.facts {
			if f.Kind == emit.Loss {
				losses = append(losses, f.Name)
			}
		}
		want := []string{tt.want}
		if tt.want == "" {
			want = nil
		}
		if diff := cmp.Diff(want, losses); diff != "" || got.Class != emit.Success {
			t.Errorf("%s: %s ends as %s; losses (-want +got):\n%s", tt.agent, tt.line, got.Class, diff)
		}
	}
}

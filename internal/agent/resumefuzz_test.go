package agent

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

// What is restored, whoever wrote it, can be sent: one system prompt comes first, and
// each call has its answer before anybody else speaks. The lines are messages, and
// calls where they have a result.
func FuzzRestore(f *testing.F) {
	for _, mode := range []CallMode{CallsAuto, CallsText} {
		k := &recording{}
		cfg := testConfig(model(calls("echo", `{"text":"a"}`, "nope", `{`), says("TOOL_CALL:\n"+`{"tool":"act","arguments":{"text":"b"}}`), says("done")), k)
		cfg.Calls = mode
		Run(f.Context(), cfg)
		var lines bytes.Buffer
		in := json.NewEncoder(&lines)
		for _, m := range k.messages {
			_ = in.Encode(m)
		}
		for _, c := range k.calls {
			_ = in.Encode(c)
		}
		f.Add(lines.Bytes(), true)
	}
	f.Fuzz(func(t *testing.T, lines []byte, text bool) {
		e := Earlier{TextCalls: text, SameEndpoint: true}
		for line := range bytes.Lines(lines) {
			var c record.Call
			var m record.Message
			switch {
			case json.Unmarshal(line, &c) == nil && resultOf(c).Status != "":
				e.Calls = append(e.Calls, c)
			case json.Unmarshal(line, &m) == nil:
				e.Messages = append(e.Messages, m)
			}
		}
		r, err := e.Restore(testTools())
		if err != nil || len(e.Messages) == 0 {
			return
		}
		open := map[string]bool{}
		for at, m := range r.messages {
			if (m.Role == chat.RoleSystem) != (at == 0) || m.Role == chat.RoleTool != open[m.ToolCallID] || m.Role != chat.RoleTool && len(open) > 0 {
				t.Fatalf("message %d of %v stands in no conversation", at, values(r.messages))
			}
			delete(open, m.ToolCallID)
			for _, c := range m.ToolCalls {
				open[c.ID] = true
			}
		}
		if len(open) > 0 {
			t.Fatalf("calls %v have no answer in %v", open, values(r.messages))
		}
		k := &recording{}
		cfg := testConfig(model(says("done")), k)
		cfg.Resume, cfg.Prompt, cfg.MaxContext = r, "and?", 1<<10
		if res := Run(t.Context(), cfg); !res.OK {
			t.Fatalf("Run() = %+v, want ok", res)
		}
	})
}

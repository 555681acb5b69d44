package agent

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

// The conversation is on record as it was sent and received, secrets out; a
// message whose signature no longer fits says so.
func TestRun_MessagesAreOnRecord(t *testing.T) {
	const secret = "sk-test-abcdef"
	reply := func(text, extra string) func(context.Context, chat.Request) (chat.Reply, error) {
		return replies(chat.Reply{
			FinishReason: "tool_calls", Extra: chat.Extra{Members: json.RawMessage(extra)},
			Calls: []chat.ToolCall{{ID: "id-" + text, Name: "echo", Arguments: `{"text":"` + text + `"}`}},
		})
	}
	_, k := try(t, model(reply(secret, `{"reasoning":"`+secret+`"}`), reply("b", `{"reasoning":"b"}`), says("done")), nil)
	var got []record.Message
	for _, m := range k.messages {
		if m.Role == chat.RoleSystem {
			m.Text = ""
		}
		got = append(got, m)
	}
	want := []record.Message{
		{Index: 0, Role: chat.RoleSystem, About: &record.About{RunID: "r", Tools: []string{"act", "boom", "burst", "echo", "fail", "hang"}}},
		{Index: 1, Role: chat.RoleUser, Text: "do it"},
		{
			Index: 2, Step: 1, Requests: 1, Role: chat.RoleAssistant, Masked: true, Extra: &chat.Extra{Members: json.RawMessage(`{"reasoning":"[redacted]"}`)},
			Calls: []record.MessageCall{{ID: "id-[redacted]", Tool: "echo", Arguments: `{"text":"[redacted]"}`}},
		},
		{Index: 3, Step: 1, Requests: 1, Role: chat.RoleTool, ToolCallID: "id-[redacted]", Text: "wrote [redacted]"},
		{
			Index: 4, Step: 2, Requests: 2, Role: chat.RoleAssistant, Extra: &chat.Extra{Members: json.RawMessage(`{"reasoning":"b"}`)},
			Calls: []record.MessageCall{{ID: "id-b", Tool: "echo", Arguments: `{"text":"b"}`}},
		},
		{Index: 5, Step: 2, Requests: 2, Role: chat.RoleTool, ToolCallID: "id-b", Text: "wrote b"},
		{Index: 6, Step: 3, Requests: 3, Role: chat.RoleAssistant, Text: "done"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// A run that cannot record what is said does not go on.
func TestRun_UnrecordedMessageIsNoSuccess(t *testing.T) {
	m := model(calls("echo", `{"text":"a"}`), says("never"))
	res, _ := try(t, m, func(c *Config) { c.Record = &mute{} })
	if res.ExitReason != "internal_error" || res.Error != "record message 0: disk is full" || len(m.requests) != 0 {
		t.Errorf("Run = %+v after %d requests, want internal_error at once", res, len(m.requests))
	}
}

// mute is a record that takes no messages.
type mute struct{ recording }

func (*mute) Messages([]record.Message, bool) error {
	return errors.New("record message 0: disk is full")
}

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

const streamed = "data: {\"choices\":[{\"delta\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// conversation has so many calls of a tool with a result of one kibibyte each.
func conversation(steps int) chat.Request {
	req := user("hi")
	for i := range steps {
		id := fmt.Sprintf("call_%d", i)
		req.Messages = append(req.Messages,
			&chat.Message{Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: id, Name: "tool_0", Arguments: `{"a":"b"}`}}},
			&chat.Message{Role: chat.RoleTool, ToolCallID: id, Content: strings.Repeat("0123456\n", 128)})
	}
	for i := range 9 {
		req.Tools = append(req.Tools, chat.ToolSpec{
			Name:        fmt.Sprintf("tool_%d", i),
			Description: strings.Repeat("what it does ", 30),
			Parameters:  json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","description":"a value"}}}`),
		})
	}
	return req
}

// TestComplete_EncodesOnce counts allocations: messages that are encoded already
// need no more of them.
func TestComplete_EncodesOnce(t *testing.T) {
	eachAPI(t, encodesOnce)
}

func encodesOnce(t *testing.T, api provider.API) {
	allocs := func(steps int) float64 {
		c := provider.New(provider.Config{API: api, Model: "m", HTTP: &http.Client{Transport: script(t, strings.Repeat("- text: ok\n", 11))}})
		req := conversation(steps)
		return testing.AllocsPerRun(9, func() {
			if _, err := c.Complete(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		})
	}
	one := allocs(1)
	if many := allocs(200); many > one+50 {
		t.Errorf("a request of 200 steps allocates %v times, one of a single step %v, want at most 50 more", many, one)
	}
}

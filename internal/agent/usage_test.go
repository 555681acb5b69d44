package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/event"
)

// What a budget is held against is what the provider reports: input and output,
// or their total alone, or nothing, which counts a token for four bytes.
func TestUsage_Spent(t *testing.T) {
	request := []*chat.Message{{Role: chat.RoleSystem, Content: "12345"}, {Role: chat.RoleUser, Content: "678"}}
	n := number
	sums := func(input, output, total *int64) *event.Usage {
		return &event.Usage{Input: input, Output: output, Total: total}
	}
	for name, tt := range map[string]struct {
		reply chat.Reply
		spent int64
		sums  *event.Usage
	}{
		"input and output": {chat.Reply{Text: "text", Usage: chat.Usage{Input: n(7), Output: n(2)}}, 9, sums(n(7), n(2), n(9))},
		"input alone":      {chat.Reply{Usage: chat.Usage{Input: n(7)}}, 7, sums(n(7), nil, n(7))},
		"another total":    {chat.Reply{Usage: chat.Usage{Input: n(7), Output: n(2), Total: n(20)}}, 9, sums(n(7), n(2), n(20))},
		"total alone":      {chat.Reply{Usage: chat.Usage{Total: n(20)}}, 20, sums(nil, nil, n(20))},
		"zero":             {chat.Reply{Text: "12345678", Usage: chat.Usage{Input: n(0), Output: n(0)}}, 0, sums(n(0), n(0), n(0))},
		"nothing":          {chat.Reply{Text: "12345678", Calls: []chat.ToolCall{{Name: "echo", Arguments: "1234"}}}, 6, nil},
		"bytes to spare":   {chat.Reply{Text: "123"}, 2, nil},
	} {
		var u usage
		u.add(tt.reply, request)
		if u.spent != tt.spent {
			t.Errorf("%s: %d tokens are spent, want %d", name, u.spent, tt.spent)
		}
		if diff := cmp.Diff(tt.sums, usageOrNil(u.sums)); diff != "" {
			t.Errorf("%s: sums (-want +got):\n%s", name, diff)
		}
	}
}

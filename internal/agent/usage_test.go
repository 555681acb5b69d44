package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/chat"
)

// What a budget is held against is what the provider reports: input and output,
// or their total alone, or nothing, which counts a token for four bytes.
func TestUsage_Spent(t *testing.T) {
	request := []*chat.Message{{Role: chat.RoleSystem, Content: "12345"}, {Role: chat.RoleUser, Content: "678"}}
	n := number
	sums := func(input, output, total any) map[string]any {
		return map[string]any{"input_tokens": input, "output_tokens": output, "total_tokens": total, "cached_input_tokens": nil}
	}
	for name, tt := range map[string]struct {
		reply chat.Reply
		spent int64
		data  map[string]any
	}{
		"input and output": {chat.Reply{Text: "text", Usage: chat.Usage{Input: n(7), Output: n(2)}}, 9, sums(int64(7), int64(2), int64(9))},
		"input alone":      {chat.Reply{Usage: chat.Usage{Input: n(7)}}, 7, sums(int64(7), nil, int64(7))},
		"another total":    {chat.Reply{Usage: chat.Usage{Input: n(7), Output: n(2), Total: n(20)}}, 9, sums(int64(7), int64(2), int64(20))},
		"total alone":      {chat.Reply{Usage: chat.Usage{Total: n(20)}}, 20, sums(nil, nil, int64(20))},
		"zero":             {chat.Reply{Text: "12345678", Usage: chat.Usage{Input: n(0), Output: n(0)}}, 0, sums(int64(0), int64(0), int64(0))},
		"nothing":          {chat.Reply{Text: "12345678", Calls: []chat.ToolCall{{Name: "echo", Arguments: "1234"}}}, 6, nil},
		"bytes to spare":   {chat.Reply{Text: "123"}, 2, nil},
	} {
		var u usage
		u.add(tt.reply, request)
		if u.spent != tt.spent {
			t.Errorf("%s: %d tokens are spent, want %d", name, u.spent, tt.spent)
		}
		if diff := cmp.Diff(tt.data, u.data()); diff != "" {
			t.Errorf("%s: sums (-want +got):\n%s", name, diff)
		}
	}
}

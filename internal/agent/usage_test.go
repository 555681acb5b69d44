package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
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
		"input alone":      {chat.Reply{Usage: chat.Usage{Input: n(7)}}, 7, sums(n(7), nil, nil)},
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
		if diff := cmp.Diff(tt.sums, u.whole(nil)); diff != "" {
			t.Errorf("%s: sums (-want +got):\n%s", name, diff)
		}
	}
}

// What a run cost is known where every reply said what it used; else a limit is
// held against a token for four bytes.
func TestUsage_Cost(t *testing.T) {
	request := []*chat.Message{{Role: chat.RoleUser, Content: "12345678"}} // 2 tokens
	n, at := number, &prices.Price{Input: 1e6, CachedInput: 1e5, Output: 1e6}
	cost := func(usd float64) *float64 { return &usd }
	used := chat.Usage{Input: n(7), Output: n(2), CachedInput: n(5)}
	for name, tt := range map[string]struct {
		replies []chat.Reply
		cost    *float64
		counted float64
	}{
		"told":        {[]chat.Reply{{Usage: used}}, cost(2 + 0.5 + 2), 4.5},
		"told twice":  {[]chat.Reply{{Usage: used}, {Usage: used}}, cost(9), 9},
		"once untold": {[]chat.Reply{{Usage: used}, {Text: "1234"}}, nil, 4.5 + 2 + 1},
		"half told":   {[]chat.Reply{{Text: "1234", Usage: chat.Usage{Input: n(7)}}}, nil, 7 + 1},
		"a total":     {[]chat.Reply{{Text: "1234", Usage: chat.Usage{Total: n(50)}}}, nil, 2 + 1},
	} {
		var u usage
		for _, reply := range tt.replies {
			u.add(reply, request)
		}
		if got := u.whole(at); got == nil || got.CostUSD == nil || !cmp.Equal(*got.CostUSD, tt.cost) {
			t.Errorf("%s: whole = %+v, want the cost %v", name, got, tt.cost)
		}
		if got := at.Cost(u.priced); got != tt.counted {
			t.Errorf("%s: a limit is held against %v, want %v", name, got, tt.counted)
		}
		if got := u.whole(nil); got == nil || got.CostUSD != nil {
			t.Errorf("%s: without a price whole = %+v, want no word of the cost", name, got)
		}
	}
}

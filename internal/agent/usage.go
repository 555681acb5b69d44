package agent

import (
	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// usage adds up the tokens of a run's replies.
type usage struct {
	replies                                 int
	input, output, total, cached, reasoning tally
	// spent is compared with --max-tokens: as reported, else estimated.
	spent int64
	// priced is what counts for the cost: as reported, else estimated, which
	// guessed tells.
	priced  prices.Tokens
	guessed bool
}

// tally is a sum, and how many replies reported a part of it.
type tally struct {
	sum     int64
	replies int
}

func (t *tally) add(n *int64) {
	if n != nil {
		t.sum, t.replies = t.sum+*n, t.replies+1
	}
}

// of returns the sum, nil where fewer replies than these reported their part.
func (t tally) of(replies int) *int64 {
	if t.replies < replies {
		return nil
	}
	return &t.sum
}

// bytesPerToken estimates the tokens of a reply that does not report any.
const bytesPerToken = 4

func (u *usage) add(reply chat.Reply, request []*chat.Message) {
	in, out, all := reply.Usage.Input, reply.Usage.Output, reply.Usage.Total
	both := event.Value(in) + event.Value(out)
	switch {
	case in == nil && out == nil && all == nil:
		both = (sizeOf(reply) + conversationSize(request)) / bytesPerToken
	case in == nil && out == nil:
		both = *all
	case in != nil && out != nil && all == nil:
		all = &both
	}
	u.price(reply, request)
	u.spent += both
	u.replies++
	u.input.add(in)
	u.output.add(out)
	u.total.add(all)
	u.cached.add(reply.Usage.CachedInput)
	u.reasoning.add(reply.Usage.Reasoning)
}

// price counts what a reply costs.
func (u *usage) price(reply chat.Reply, request []*chat.Message) {
	in, out := reply.Usage.Input, reply.Usage.Output
	u.guessed = u.guessed || in == nil || out == nil
	if in == nil {
		in = new(conversationSize(request) / bytesPerToken)
	}
	if out == nil {
		out = new(sizeOf(reply) / bytesPerToken)
	}
	u.priced.Input += *in
	u.priced.Output += *out
	u.priced.CachedInput += event.Value(reply.Usage.CachedInput)
}

// sizeOf returns the size of a reply in bytes.
func sizeOf(reply chat.Reply) int64 {
	size := len(reply.Text)
	for _, c := range reply.Calls {
		size += len(c.Name) + len(c.Arguments)
	}
	return int64(size)
}

// whole is what the run used, nil where no reply reports any. A part that one reply does
// not report is not known; a reply without cached or reasoning tokens had none. At a price
// it also has the cost, which is not known where it was estimated.
func (u *usage) whole(at *prices.Price) *event.Usage {
	if u.input.replies+u.output.replies+u.total.replies == 0 {
		return nil
	}
	all := &event.Usage{
		Input: u.input.of(u.replies), Output: u.output.of(u.replies), Total: u.total.of(u.replies),
		CachedInput: u.cached.of(1), Reasoning: u.reasoning.of(1),
	}
	if at == nil {
		return all
	}
	var cost *float64
	if !u.guessed {
		cost = new(prices.Rounded(at.Cost(u.priced)))
	}
	all.CostUSD = &cost
	return all
}

// usageOrNil returns u, nil when it has no count.
func usageOrNil(u event.Usage) *event.Usage {
	if u.Input == nil && u.Output == nil && u.Total == nil {
		return nil
	}
	return &u
}

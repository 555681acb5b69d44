package agent

import (
	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// usage adds up the tokens of a run's replies; a sum is nil while no reply
// reported its part.
type usage struct {
	sums event.Usage
	// spent is compared with --max-tokens: as reported, else estimated.
	spent int64
	// priced is what counts for the cost: as reported, else estimated, which
	// guessed tells.
	priced  prices.Tokens
	guessed bool
}

// bytesPerToken estimates the tokens of a reply that does not report any.
const bytesPerToken = 4

func (u *usage) add(reply chat.Reply, request []*chat.Message) {
	in, out, all := reply.Usage.Input, reply.Usage.Output, reply.Usage.Total
	both := event.Value(in) + event.Value(out)
	u.price(reply, request)
	switch {
	case in == nil && out == nil && all == nil:
		u.spent += (sizeOf(reply) + conversationSize(request)) / bytesPerToken
		return
	case in == nil && out == nil:
		both = *all
	case all == nil:
		all = &both
	}
	u.spent += both
	u.sums = event.Usage{
		CachedInput: sum(u.sums.CachedInput, reply.Usage.CachedInput),
		Reasoning:   sum(u.sums.Reasoning, reply.Usage.Reasoning),
		Input:       sum(u.sums.Input, in), Output: sum(u.sums.Output, out), Total: sum(u.sums.Total, all),
	}
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

// total is what the run used; at a price also what that cost, which is not known
// where it was estimated.
func (u *usage) total(at *prices.Price) *event.Usage {
	all := usageOrNil(u.sums)
	if all == nil || at == nil {
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

// sum adds b to a; nil is what is not known.
func sum(a, b *int64) *int64 {
	if b == nil {
		return a
	}
	n := event.Value(a) + *b
	return &n
}

package agent

import (
	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/event"
)

// usage adds up the tokens of a run's replies; a sum is nil while no reply
// reported its part.
type usage struct {
	sums event.Usage
	// spent is compared with --max-tokens: as reported, else estimated.
	spent int64
}

// bytesPerToken estimates the tokens of a reply that does not report any.
const bytesPerToken = 4

func (u *usage) add(reply chat.Reply, request []*chat.Message) {
	in, out, all := reply.Usage.Input, reply.Usage.Output, reply.Usage.Total
	both := event.Value(in) + event.Value(out)
	switch {
	case in == nil && out == nil && all == nil:
		u.spent += estimate(reply, request)
		return
	case in == nil && out == nil:
		both = *all
	case all == nil:
		all = &both
	}
	u.spent += both
	u.sums = event.Usage{
		CachedInput: sum(u.sums.CachedInput, reply.Usage.CachedInput),
		Input:       sum(u.sums.Input, in), Output: sum(u.sums.Output, out), Total: sum(u.sums.Total, all),
	}
}

func estimate(reply chat.Reply, request []*chat.Message) int64 {
	size := len(reply.Text)
	for _, c := range reply.Calls {
		size += len(c.Name) + len(c.Arguments)
	}
	for _, m := range request {
		size += len(m.Content)
	}
	return int64(size / bytesPerToken)
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

package agent

import "github.com/openagent-ci/openagent/internal/chat"

// usage sums tokens over the replies of a run; a sum is nil while no reply
// reported its part.
type usage struct {
	input, output, total, cached *int64
	// spent is compared with --max-tokens: as reported, else estimated.
	spent int64
}

// bytesPerToken estimates the tokens of a reply that does not report any.
const bytesPerToken = 4

func (u *usage) add(reply chat.Reply, request []*chat.Message) {
	in, out, all := reply.Usage.Input, reply.Usage.Output, reply.Usage.Total
	both := value(in) + value(out)
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
	u.input, u.output, u.cached = sum(u.input, in), sum(u.output, out), sum(u.cached, reply.Usage.CachedInput)
	u.total = sum(u.total, all)
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

// data returns the sums under the names of the contract, nil when no reply
// reported any.
func (u *usage) data() map[string]any {
	if u.total == nil {
		return nil
	}
	return tokens(u.input, u.output, u.total, u.cached)
}

// usageData is data for one reply.
func usageData(u chat.Usage) any {
	if u.Input == nil && u.Output == nil && u.Total == nil {
		return nil
	}
	return tokens(u.Input, u.Output, u.Total, u.CachedInput)
}

func tokens(input, output, total, cached *int64) map[string]any {
	return map[string]any{
		"input_tokens": pointed(input), "output_tokens": pointed(output),
		"total_tokens": pointed(total), "cached_input_tokens": pointed(cached),
	}
}

func pointed(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// sum adds b to a; nil is what is not known.
func sum(a, b *int64) *int64 {
	if b == nil {
		return a
	}
	n := value(a) + *b
	return &n
}

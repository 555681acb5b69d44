package agent

import (
	"context"
	"fmt"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/event"
)

func (r *run) stepID() string { return fmt.Sprintf("s%d", r.stepNo) }

func (r *run) openStep() {
	r.stepNo++
	names := make([]any, len(r.names))
	for i, n := range r.names {
		names[i] = n
	}
	r.emit(event.StepStarted, event.Data{
		"step_id": r.stepID(), "step_index": r.stepNo, "allowed_tools": names, "enforcement_mode": "policy",
	})
}

// ask requests the next reply and keeps its text and usage.
func (r *run) ask(ctx context.Context) (chat.Reply, *ending) {
	r.emit(event.ModelRequestStart, event.Data{"messages": len(r.messages), "tools": len(r.offered)})
	reply, err := r.cfg.Model.Complete(ctx, chat.Request{
		Messages: r.messages,
		Tools:    r.offered,
		OnDelta:  func(text string) { r.emit(event.ModelDelta, event.Data{"text": text}) },
		OnRetry:  r.retrying,
	})
	if err != nil {
		return chat.Reply{}, r.failed(ctx, err)
	}
	r.lastText = reply.Text
	r.usage.add(reply, r.messages)
	r.emit(event.ModelResponseEnd, event.Data{
		"finish_reason": reply.FinishReason, "text": reply.Text, "tool_calls": len(reply.Calls),
		"usage": usageData(reply.Usage),
	})
	return reply, nil
}

func (r *run) retrying(again chat.Retry) {
	r.emit(event.ProviderRetry, event.Data{
		"attempt": again.Attempt, "max_attempts": again.MaxAttempts, "kind": string(again.Failure.Kind),
		"status": orNull(again.Failure.Status), "backoff_ms": again.Backoff.Milliseconds(),
	})
}

// usage sums tokens over the replies of a run.
type usage struct {
	input, output, total, cached int64
	reported                     bool
	// spent is what --max-tokens is held against: as reported, else estimated.
	spent int64
}

// bytesPerToken estimates the tokens of a reply that does not report any.
const bytesPerToken = 4

func (u *usage) add(reply chat.Reply, request []*chat.Message) {
	in, out := value(reply.Usage.Input), value(reply.Usage.Output)
	if reply.Usage.Input == nil && reply.Usage.Output == nil {
		u.spent += estimate(reply, request)
		return
	}
	u.reported = true
	u.input += in
	u.output += out
	u.cached += value(reply.Usage.CachedInput)
	total := in + out
	if reply.Usage.Total != nil {
		total = *reply.Usage.Total
	}
	u.total += total
	u.spent += in + out
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
	if !u.reported {
		return nil
	}
	return map[string]any{
		"input_tokens": u.input, "output_tokens": u.output,
		"total_tokens": u.total, "cached_input_tokens": u.cached,
	}
}

func usageData(u chat.Usage) any {
	if u.Input == nil && u.Output == nil {
		return nil
	}
	return map[string]any{
		"input_tokens": pointed(u.Input), "output_tokens": pointed(u.Output),
		"total_tokens": pointed(u.Total), "cached_input_tokens": pointed(u.CachedInput),
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

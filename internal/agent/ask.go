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

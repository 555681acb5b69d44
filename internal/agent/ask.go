package agent

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

func (r *run) stepID() string { return fmt.Sprintf("s%d", r.stepNo) }

// ask requests the next reply and keeps its text and usage.
func (r *run) ask(ctx context.Context) (chat.Reply, *ending) {
	r.compact()
	r.emit(event.ModelRequestStart{Messages: len(r.messages), Tools: len(r.offered)})
	text := redact.NewWriter(deltas{r}, r.cfg.Redact)
	reply, err := r.complete(ctx, chat.Request{
		Messages: r.messages,
		Tools:    r.offered,
		Answer:   r.cfg.Final.sent(),
		Seed:     r.seed(),
		OnDelta:  func(piece string) { _, _ = io.WriteString(text, piece) },
		OnRetry: func(again chat.Retry) {
			_ = text.Close()
			r.retrying(again)
			text = redact.NewWriter(deltas{r}, r.cfg.Redact) // the next attempt begins anew
		},
	})
	_ = text.Close()
	// A reply that is nothing but calls, or never came, takes no text back.
	if reply.Text != "" || err == nil && len(reply.Calls) == 0 {
		r.lastText = reply.Text
	}
	if err != nil {
		return chat.Reply{}, r.failed(ctx, err)
	}
	if reply.LeftOut {
		r.cfg.Log.Warn("what the endpoint gave beside text and calls is too long to go back to it; it may refuse the next request", "step", r.stepNo)
	}
	r.usage.add(reply, r.messages)
	r.emit(event.ModelResponseEnd{
		FinishReason: reply.FinishReason, Text: reply.Text, ToolCalls: len(reply.Calls), Usage: usageOrNil(event.Usage{
			CachedInput: reply.Usage.CachedInput, Input: reply.Usage.Input, Output: reply.Usage.Output,
			Reasoning: reply.Usage.Reasoning, Total: reply.Usage.Total,
		}),
	})
	return reply, nil
}

// complete asks the model and counts what was answered, attempts that failed too.
// A script or a cassette that refused a request has given nothing for it.
func (r *run) complete(ctx context.Context, req chat.Request) (chat.Reply, error) {
	retrying := req.OnRetry
	req.OnRetry = func(again chat.Retry) { r.requests++; retrying(again) }
	reply, err := r.cfg.Model.Complete(ctx, req)
	var f *chat.Failure
	if err == nil || errors.As(err, &f) && f.Kind != chat.FailScript && f.Kind != chat.FailCassette {
		r.requests++
	}
	return reply, err
}

// deltas emits a reply's text while it arrives. The text is masked before it
// gets here and comes in whole lines, since a secret that is split over two
// pieces would not be recognised. Write never fails: the run itself notices an
// event that could not be delivered.
type deltas struct{ r *run }

func (d deltas) Write(b []byte) (int, error) {
	if len(b) > 0 {
		d.r.emit(event.ModelDelta{Text: string(b)})
	}
	return len(b), nil
}

// seed names the step among those of all runs.
func (r *run) seed() string { return fmt.Sprintf("%s/%d", r.cfg.RunID, r.stepNo) }

func (r *run) retrying(again chat.Retry) {
	r.emit(event.ProviderRetry{
		Attempt: new(int64(again.Attempt)), MaxAttempts: new(int64(again.MaxAttempts)), Failure: string(again.Failure.Kind),
		Status: orNil(int64(again.Failure.Status)), BackoffMS: new(again.Backoff.Milliseconds()),
	})
}

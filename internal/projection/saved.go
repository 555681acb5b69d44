package projection

import (
	"sync"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/schema"
)

// kinds is the table read backwards.
var kinds = sync.OnceValue(func() map[schema.Type]event.Kind {
	all := map[schema.Type]event.Kind{}
	for kind, typ := range Table() {
		if typ != "" {
			all[typ] = kind
		}
	}
	return all
})

// Event returns a published event as the internal one that people are shown of
// it: without its time, and of the payload only what a view prints.
func Event(e *schema.Event) event.Event {
	return event.Event{RunID: e.RunID, Step: int(e.Step), Kind: kinds()[e.Type], Data: shown(e.Data)}
}

// shown returns what people are shown of a payload, under the names that
// internal events have.
func shown(payload any) event.Data {
	switch d := payload.(type) {
	case *schema.RunStarted:
		return event.Data{"provider": given(d.Provider), "model": given(d.Model)}
	case *schema.ToolCallDetected:
		return event.Data{"tool": value(d.Tool), "arguments_preview": given(d.ArgumentsPreview)}
	case *schema.ToolDecision:
		return event.Data{"decision": value(d.Decision), "source": value(d.Source), "reason": value(d.Reason)}
	case *schema.ToolExecStarted:
		return event.Data{"tool": value(d.Tool)}
	case *schema.ToolExecFinished:
		return event.Data{"ok": value(d.OK), "summary_text": given(d.SummaryText), "duration_ms": given(d.DurationMS)}
	case *schema.ToolRetry:
		return event.Data{
			"failure_class": value(d.FailureClass), "action": value(d.Action),
			"attempt": value(d.Attempt), "max_retries": value(d.MaxRetries),
		}
	case *schema.StepBlocked:
		return event.Data{"reason": value(d.Reason)}
	case *schema.ProviderRetry:
		return event.Data{
			"kind": value(d.Kind), "status": value(d.Status), "attempt": value(d.Attempt),
			"max_attempts": value(d.MaxAttempts), "backoff_ms": value(d.BackoffMS),
		}
	case *schema.ProviderError:
		return event.Data{"kind": value(d.Kind), "status": value(d.Status), "message_short": value(d.MessageShort)}
	case *schema.RunFinished:
		return event.Data{
			"exit_reason": d.ExitReason, "ok": d.OK, "error": value(d.Error), "steps": given(d.Steps),
			"tool_calls": given(d.ToolCalls), "duration_ms": given(d.DurationMS), "usage": shownUsage(d.Usage),
		}
	}
	return nil // step_started: its number says all
}

func shownUsage(u schema.Optional[schema.Usage]) any {
	used, ok := u.Get()
	if !ok {
		return nil
	}
	return map[string]any{
		"input_tokens": value(used.InputTokens), "output_tokens": value(used.OutputTokens), "total_tokens": value(used.TotalTokens),
	}
}

// value returns what p points to, nil where that is nothing.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// given returns the value of an additive member, nil where it has none.
func given[T any](o schema.Optional[T]) any {
	if v, ok := o.Get(); ok {
		return v
	}
	return nil
}

package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
)

// Reasons for which a run ends.
const (
	reasonOK        = "ok"
	reasonProvider  = "provider_error"
	reasonMaxSteps  = "max_steps"
	reasonBudget    = "budget_exceeded"
	reasonTimeout   = "timeout"
	reasonDenied    = "denied"
	reasonBlocked   = "blocked"
	reasonCancelled = "cancelled"
	reasonInternal  = "internal_error"
	reasonOutput    = "output_invalid"
)

// ending is why a run ends; text is empty for ok.
type ending struct {
	reason string
	text   string
}

func (e *ending) ok() bool { return e.reason == reasonOK }

// internal is the ending by an error of the program's own, nil for no error.
func internal(err error) *ending {
	if err == nil {
		return nil
	}
	return &ending{reasonInternal, err.Error()}
}

// ended returns the ending of a run whose context has ended, or that could not
// save something; nil while the run goes on.
func (r *run) ended(ctx context.Context) *ending {
	if ctx.Err() == nil {
		return r.unsaved()
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errDelivery):
		return internal(r.delivery)
	case errors.Is(cause, errTimeout), errors.Is(cause, context.DeadlineExceeded):
		return &ending{reasonTimeout, fmt.Sprintf("the run took longer than --timeout %s", r.cfg.Limits.Timeout)}
	}
	return &ending{reasonCancelled, reasonCancelled}
}

// unsaved ends a run that could not write its record, artifacts or log.
func (r *run) unsaved() *ending {
	if r.cfg.Saved == nil {
		return nil
	}
	return internal(r.cfg.Saved())
}

// mayStep stops before a step that would pass a limit.
func (r *run) mayStep(ctx context.Context) *ending {
	if end := r.ended(ctx); end != nil {
		return end
	}
	if limit := r.cfg.Limits.Steps; limit > 0 && r.stepNo >= limit {
		doing := "calling tools"
		if r.answering() {
			doing = "giving answers that --output-schema does not accept"
		}
		return &ending{reasonMaxSteps, fmt.Sprintf("the model was still %s after --max-steps %d", doing, limit)}
	}
	return nil
}

// afterReply stops at a spent budget, and at a reply without calls: its text
// is the answer, if it is one.
func (r *run) afterReply(ctx context.Context, reply chat.Reply, calls []call) *ending {
	end := r.endBy(reply, calls)
	if end == nil || len(calls) > 0 || r.cfg.History == nil {
		return end
	}
	return cmp.Or(internal(r.cfg.History.Answer(ctx, reply.Text)), end)
}

func (r *run) endBy(reply chat.Reply, calls []call) *ending {
	if end := r.spent(); end != nil {
		return end
	}
	if len(calls) > 0 {
		return nil
	}
	if reply.FinishReason == chat.FinishLength {
		return &ending{reasonBudget, "the model's reply was cut at its output limit (finish reason length)"}
	}
	return r.finalReply(reply)
}

// spent ends a run that has used more than it may.
func (r *run) spent() *ending {
	limits := r.cfg.Limits
	if limits.Tokens > 0 && r.usage.spent > limits.Tokens {
		return &ending{reasonBudget, fmt.Sprintf("%d tokens were used, more than --max-tokens %d", r.usage.spent, limits.Tokens)}
	}
	if limits.CostUSD == 0 || r.cfg.Price == nil {
		return nil
	}
	cost, how := prices.Rounded(r.cfg.Price.Cost(r.usage.priced)), ""
	if r.usage.guessed {
		how = ", in part estimated"
	}
	if cost <= limits.CostUSD {
		return nil
	}
	return &ending{reasonBudget, fmt.Sprintf("the tokens cost $%s%s, more than --max-cost %s", dollars(cost), how, dollars(limits.CostUSD))}
}

// dollars writes an amount without an exponent.
func dollars(usd float64) string { return strconv.FormatFloat(usd, 'f', -1, 64) }

// failed reports a request that brought no reply.
func (r *run) failed(ctx context.Context, err error) *ending {
	if end := r.ended(ctx); end != nil {
		return end
	}
	var f *chat.Failure
	if !errors.As(err, &f) {
		return internal(err)
	}
	if f.Body != "" {
		r.cfg.Log.Warn("the endpoint answered with an error", "status", f.Status, "body", f.Body)
	}
	r.code = f.Code
	r.emit(event.ProviderError{
		Failure: string(f.Kind), Status: orNil(int64(f.Status)), Retryable: f.Retryable, MessageShort: f.Message,
	})
	return &ending{reasonProvider, f.Error()}
}

// blocked emits the guard's event and ends the run.
func (r *run) blocked(code, tool, text string) *ending {
	r.emit(event.StepBlocked{Reason: text, Tool: tool, StepID: r.stepID(), Code: code})
	return &ending{reasonBlocked, text}
}

// orNil returns v, nil for the zero value.
func orNil[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

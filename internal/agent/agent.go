// Package agent is the agent loop: ask the model, find the tool calls, decide and
// run each one, send the results back, end for exactly one reason. It reports
// everything to a sink.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/openagent-ci/openagent/internal/model/prices"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// Model answers one request. An error is a *chat.Failure, or the context's
// when that ended; the reply then holds what had arrived of one.
type Model interface {
	Complete(ctx context.Context, req chat.Request) (chat.Reply, error)
}

// Policy decides on calls. Offers says which tools the model sees at all,
// Source what the policy comes from.
type Policy interface {
	Decide(policy.Request) policy.Decision
	Offers(tool string) bool
	Source() string
}

// Recorder keeps what a run did. Finish is called once, before the event that
// ends the run.
type Recorder interface {
	Call(record.Call) error
	// Messages keeps what was said; it is on disk when sync is set.
	Messages(messages []record.Message, sync bool) error
	Finish(ended time.Time, finalOutput string, o record.Outcome) error
}

// Limits end a run that goes on too long; 0 means none.
type Limits struct {
	Steps     int
	ToolCalls int
	// Tokens bounds input and output tokens together, as the provider counts.
	Tokens int64
	// CostUSD bounds what the tokens cost; it needs a price.
	CostUSD float64
	Timeout time.Duration
}

// Config is everything a run needs.
type Config struct {
	RunID string
	// Prompt may be empty in a run that goes on with an earlier one.
	Prompt string
	// Task replaces the built-in task part of the system prompt when not empty.
	Task string
	// Instructions are put behind the system prompt; empty for none.
	Instructions string
	// Calls says how the model makes tool calls.
	Calls CallMode
	// Final says what the last text has to be, nil for any text.
	Final *Final

	Model Model
	// Price is that of the model; nil where it is not known.
	Price *prices.Price
	Tools *tool.Registry
	// Changed returns the tools that there are from the next step on, nil where they
	// are the same as before; nil where they never change.
	Changed func(context.Context) *tool.Registry
	// Artifacts are those that the tools save; an error there ends the run.
	Artifacts *result.Artifacts
	Policy    Policy
	// RealPath returns where a path argument leads, links followed, for the
	// policy to decide on as well; nil for nowhere else.
	RealPath func(name string) string
	StopDeny bool // a denied call ends the run
	Limits   Limits
	// MaxContext bounds the conversation in bytes: older results of tools are
	// shortened when it comes near; 0 for never.
	MaxContext int64

	Sink   event.Sink
	Clock  *event.Clock
	Record Recorder
	// History has what was said before; nil for none. Session is its name.
	History History
	Session string
	// Resume is the conversation of an earlier run that this one goes on with, nil
	// for none. History has nothing to say before the prompt then.
	Resume *Restored
	Redact *redact.Redactor
	// Saved reports why something beside record and artifacts, such as an event
	// log, could not be saved; the run fails then. Nil when nothing else is.
	Saved func() error
	// EndTools ends whatever tools left running; it is called before the run ends.
	EndTools func()
	// Verify names what commands changed of what the run keeps, and the configurations
	// of git that were put back. It is called after EndTools; nil for nobody who looks.
	// Its error, of what could not be looked at or put back, fails the run.
	Verify func(context.Context) (tampered, configs []string, err error)
	Log    *slog.Logger

	// About is the event that starts the run.
	About event.RunStart
}

// Causes of an ended context that the loop distinguishes.
var (
	// ErrCancelled is the cause of a run that a signal ended.
	ErrCancelled = errors.New("cancelled")
	errTimeout   = errors.New("timeout")
	errDelivery  = errors.New("stream not delivered")
)

// Result is how a run ended.
type Result struct {
	ExitReason string
	OK         bool
	// Error is empty when OK.
	Error       string
	FinalOutput string
	// Delivery is why an event could not be delivered, nil if all were.
	Delivery error
}

// Run executes one run to its end. Whatever happens, the last event is the one
// that ends the run, and it is emitted once.
func Run(ctx context.Context, cfg Config) Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if cfg.Limits.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, cfg.Limits.Timeout, errTimeout)
		defer stop()
	}
	r := newRun(cfg, cancel)
	return r.finish(ctx, r.guarded(ctx))
}

// guarded runs the loop and turns a panic into an ending.
func (r *run) guarded(ctx context.Context) (end *ending) {
	defer func() {
		if p := recover(); p != nil {
			r.cfg.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			end = &ending{reason: reasonInternal, text: fmt.Sprintf("panic: %v", p)}
		}
	}()
	return r.loop(ctx)
}

// loop takes one step after another until one returns an ending.
func (r *run) loop(ctx context.Context) *ending {
	r.emit(r.cfg.About)
	r.emit(event.PolicyLoaded{Source: r.cfg.Policy.Source()})
	if end := r.recall(ctx); end != nil {
		return end
	}
	if end := r.recordMessages(true); end != nil {
		return end
	}
	for {
		if end := r.step(ctx); end != nil {
			return end
		}
	}
}

// step is one model turn and everything in it.
func (r *run) step(ctx context.Context) *ending {
	if end := r.mayStep(ctx); end != nil {
		return end
	}
	r.follow(ctx)
	r.stepNo++
	r.emit(event.StepStarted{StepID: r.stepID(), StepIndex: int64(r.stepNo), AllowedTools: r.names, EnforcementMode: "policy"})
	reply, end := r.ask(ctx)
	if end != nil {
		return end
	}
	calls := r.find(reply)
	if end := r.afterReply(ctx, reply, calls); end != nil {
		return end
	}
	// What the model asked for is on record before any of it is done.
	if end := r.recordMessages(false); end != nil {
		return end
	}
	for _, c := range calls {
		if end := r.handle(ctx, c); end != nil {
			return end
		}
	}
	return r.recordMessages(true)
}

package runner

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// deadlines watches the clocks of a run.
type deadlines struct {
	cfg   Config
	start time.Time

	mu         sync.Mutex
	lastOutput time.Time // the last byte on stdout
	busy       bool      // output is being handled: the silence is ours
	finished   time.Time // run_finished, zero before
	changed    chan struct{}
	refused    chan struct{} // gets one when the credentials are refused
	spent      <-chan struct{}
}

func newDeadlines(cfg Config) *deadlines {
	now := time.Now()
	d := &deadlines{cfg: cfg, start: now, lastOutput: now, changed: make(chan struct{}, 1), refused: make(chan struct{}, 1)}
	if cfg.Convert != nil {
		d.spent = cfg.Convert.BudgetSpent
	}
	return d
}

// markOutput notes the beginning and the end of the handling of output.
func (d *deadlines) markOutput(busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lastOutput, d.busy = time.Now(), busy
}

// finish notes that the run has finished, or that another has begun.
func (d *deadlines) finish(finished bool) {
	d.mu.Lock()
	d.finished = time.Time{}
	if finished {
		d.finished = time.Now()
	}
	d.mu.Unlock()
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// CredentialsRefused is in the reason of a run that was ended for that.
const CredentialsRefused = "the endpoint refused the credentials again and again"

// budgetSpent is what a run missed that was ended for that.
const budgetSpent = "the budget is spent"

// next returns the time of the next deadline, zero for none, and what it means
// to miss it.
func (d *deadlines) next() (at time.Time, reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	earlier := func(from time.Time, limit time.Duration, format string) {
		if t := from.Add(limit); limit > 0 && (at.IsZero() || t.Before(at)) {
			at, reason = t, fmt.Sprintf(format, limit)
		}
	}
	earlier(d.start, d.cfg.Timeout, "the agent ran longer than %v")
	if !d.finished.IsZero() {
		earlier(d.finished, d.cfg.ExitGrace, "the agent was still alive %v after run_finished")
		return at, reason
	}
	lastOutput := d.lastOutput
	if d.busy {
		lastOutput = time.Now()
	}
	earlier(lastOutput, d.cfg.IdleTimeout, "the agent printed nothing for %v")
	return at, reason
}

// watch calls miss with the reason when a deadline has passed, and returns
// then or when ctx ends.
func (d *deadlines) watch(ctx context.Context, miss func(reason string)) {
	for {
		at, reason := d.next()
		var timer <-chan time.Time
		if !at.IsZero() {
			left := time.Until(at)
			if left <= 0 {
				miss(reason)
				return
			}
			timer = time.After(left)
		}
		select {
		case <-ctx.Done():
			return
		case <-d.refused:
			miss(CredentialsRefused)
			return
		case <-d.spent:
			miss(budgetSpent)
			return
		case <-d.changed:
		case <-timer:
		}
	}
}

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
)

// catchPipes keeps SIGPIPE from killing the process where stdout or stderr is
// closed: the write tells. The signal is not ignored, since commands would
// inherit that.
func catchPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// ownsSignals marks the commands that end in their own way when they are told
// to, whenever that is, and do not fail for a signal after their end.
const ownsSignals = "owns-signals"

// prepare does what comes before every command.
func (p *process) prepare(cmd *cobra.Command, _ []string) error {
	p.giveSignalsBack(cmd)
	return p.mayRun(cmd)
}

// giveSignalsBack lets signals to end kill the process again, as one that came
// before does now: commands that only read and judge end with the first, also
// while they wait for their input.
func (p *process) giveSignalsBack(cmd *cobra.Command) {
	if p.early == nil || cmd.Annotations[ownsSignals] != "" {
		return
	}
	signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	select {
	case s := <-p.early:
		dieBy(s)
	default:
	}
}

// dieBy ends the process by signal s, or with an exit status where signals
// cannot be sent.
func dieBy(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil && self.Signal(s) != nil {
		_ = self.Kill()
	}
}

// untilSignal is the function of that name for a command that owns the signals
// from the first one on, and keeps them to the end of the process.
func (p *process) untilSignal(parent context.Context, hurry func()) (ctx context.Context, stop func()) {
	if p.early == nil {
		return p.untilEnd(parent, hurry)
	}
	catchPipes()
	return listen(parent, p.early, hurry)
}

// untilSignal returns a context that the first signal to end ends with
// agent.ErrCancelled as cause. A second one calls hurry. stop gives the
// signals back. SIGPIPE is caught too. A program that was started to outlive
// its terminal (nohup) goes on without one: SIGHUP stays ignored.
func untilSignal(parent context.Context, hurry func()) (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	catchPipes()
	ctx, silence := listen(parent, signals, hurry)
	return ctx, func() {
		signal.Stop(signals)
		silence()
	}
}

// sameSignal is how soon after the first signal another is the same: a supervisor
// that signals the group and the process means one.
const sameSignal = 300 * time.Millisecond

// listen ends the context with the first signal and calls hurry at every
// further one that is not the same, until stop.
func listen(parent context.Context, signals <-chan os.Signal, hurry func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		var first time.Time
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			switch {
			case first.IsZero():
				first = time.Now()
				cancel(agent.ErrCancelled)
			case time.Since(first) >= sameSignal:
				hurry()
			}
		}
	}()
	return ctx, func() {
		close(done)
		<-finished
		cancel(nil)
	}
}

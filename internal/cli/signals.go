package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/openagent-ci/openagent/internal/agent"
)

// catchPipes keeps SIGPIPE from killing the process where stdout or stderr is
// closed: the write tells. The signal is not ignored, since commands would
// inherit that.
//
// Commands that only read and judge leave the other signals as they are: the
// first one ends them, also while they wait for their input.
func catchPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// untilSignal returns a context that the first signal to end ends with
// agent.ErrCancelled as cause. A second one calls hurry. stop gives the
// signals back. SIGPIPE is caught too. A program that was started to outlive
// its terminal (nohup) goes on without one: SIGHUP stays ignored.
func untilSignal(parent context.Context, hurry func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	catchPipes()
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-signals:
				if n == 0 {
					cancel(agent.ErrCancelled)
				} else {
					hurry()
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-finished
		cancel(nil)
	}
}

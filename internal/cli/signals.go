package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/openagent-ci/openagent/internal/agent"
)

// untilSignal returns a context that the first signal to end ends with
// agent.ErrCancelled as cause. A second one calls hurry. stop gives the
// signals back.
//
// A program that was started to outlive its terminal (nohup) goes on without
// one: SIGHUP stays ignored. SIGPIPE is caught so that a closed stderr does not kill the process; it is
// not ignored, since commands would inherit that.
func untilSignal(parent context.Context, hurry func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
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

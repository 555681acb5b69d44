package process

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// CatchPipes keeps SIGPIPE from killing the process where stdout or stderr is
// closed: the write tells. The signal is not ignored, since commands would
// inherit that. Nothing happens where the signals are those of others.
func (p *Process) CatchPipes() {
	if !p.Shared() {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
}

// ReleaseSignals lets signals to end kill the process again, as one that came
// before does now: commands that only read and check end with the first, also
// while they wait for their input.
func (p *Process) ReleaseSignals() {
	if p.Early == nil {
		return
	}
	signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	select {
	case s := <-p.Early:
		dieBy(s)
	default:
	}
	p.Early = nil
}

// dieBy ends the process by signal s, or with an exit status where signals
// cannot be sent.
func dieBy(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil && self.Signal(s) != nil {
		_ = self.Kill()
	}
}

// UntilSignal returns a context that the first signal to end ends with cause. A
// later one calls further. SIGPIPE is caught too. stop gives the signals back,
// unless they were caught early: then they stay caught to the end of the process.
// Where the signals are those of others only stop ends the context.
func (p *Process) UntilSignal(parent context.Context, cause error, further func()) (ctx context.Context, stop func()) {
	if p.Shared() {
		return context.WithCancel(parent)
	}
	p.CatchPipes()
	if p.Early != nil {
		return listen(parent, p.Early, cause, further)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// A program that was started to outlive its terminal (nohup) goes on
	// without one.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, silence := listen(parent, signals, cause, further)
	return ctx, func() {
		signal.Stop(signals)
		silence()
	}
}

// sameSignal is how soon after the first signal another is the same: a supervisor
// that signals the group and the process means one.
const sameSignal = 300 * time.Millisecond

// listen ends the context with cause at the first signal, and calls further at
// every later one that is not the same, until stop.
func listen(parent context.Context, signals <-chan os.Signal, cause error, further func()) (ctx context.Context, stop func()) {
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
				cancel(cause)
			case time.Since(first) >= sameSignal:
				further()
			}
		}
	}()
	return ctx, func() {
		close(done)
		<-finished
		cancel(nil)
	}
}

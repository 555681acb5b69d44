//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// soon bounds what should be there at once.
const soon = 30 * time.Second

// After the end of a run there is nothing to cancel any more: a signal must not
// turn its status into another.
func TestUntilSignal_KeepsTheSignalsOfAProcess(t *testing.T) {
	p := &Process{Early: make(chan os.Signal, 8)}
	signal.Notify(p.Early, syscall.SIGTERM)
	defer signal.Stop(p.Early)
	ctx, stop := p.UntilSignal(t.Context(), errEnded, func() {})
	stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Early:
	case <-time.After(soon):
		t.Error("the signal did not come after stop, want it caught")
	}
	if cause := context.Cause(ctx); errors.Is(cause, errEnded) {
		t.Errorf("cause after stop is %v, want no signal", cause)
	}
}

// A signal that came before anybody asked ends what is begun after it.
func TestUntilSignal_EndsByAnEarlySignal(t *testing.T) {
	p := &Process{Early: make(chan os.Signal, 8)}
	p.Early <- syscall.SIGTERM
	ctx, stop := p.UntilSignal(t.Context(), errEnded, func() {})
	defer stop()
	select {
	case <-ctx.Done():
	case <-time.After(soon):
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errEnded) {
		t.Errorf("cause after an early signal is %v, want %v", cause, errEnded)
	}
}

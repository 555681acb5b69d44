package process

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// orphanEvery is how often UntilOrphan looks: an orphan lives no longer than that.
const orphanEvery = 200 * time.Millisecond

// UntilOrphan returns a context that ends when the process that started this one
// has ended. One that was started to outlive its terminal (nohup), or shares a
// process, has no such end; nor has any on Windows.
func (p *Process) UntilOrphan(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	if p.Shared() || signal.Ignored(syscall.SIGHUP) {
		return ctx, cancel
	}
	first := os.Getppid()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(orphanEvery)
		defer tick.Stop()
		for os.Getppid() == first {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		cancel()
	}()
	return ctx, func() {
		cancel()
		<-ended
	}
}

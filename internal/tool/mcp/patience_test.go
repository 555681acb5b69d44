package mcp

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPatience(t *testing.T) {
	const span = time.Minute
	for _, test := range []struct {
		name         string
		every, until time.Duration // signs of progress
		want         time.Duration // when it is over
		said         string
	}{
		{"no progress", time.Hour, 0, span, "within 1m0s"},
		{"some progress", 50 * time.Second, 2 * time.Minute, 100*time.Second + span, "within 1m0s of its last sign of progress"},
		{"progress for ever", 50 * time.Second, time.Hour, 10 * span, "within 10m0s, in which it told of progress"},
		{"progress too late", 2 * span, time.Hour, span, "within 1m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				p, ctx, stop := newPatience(t.Context(), "x", span)
				defer stop()
				var progress sync.WaitGroup
				defer progress.Wait()
				progress.Go(func() {
					for time.Since(began)+test.every <= test.until {
						time.Sleep(test.every)
						p.restart()
					}
				})
				<-ctx.Done()
				if got := time.Since(began); got != test.want || !errors.Is(context.Cause(ctx), errCallTime) {
					t.Errorf("over after %v by %v, want after %v by %v", got, context.Cause(ctx), test.want, errCallTime)
				}
				if got := p.over(); got != test.said {
					t.Errorf("over() = %q, want %q", got, test.said)
				}
			})
		})
	}
}

// A call that has ended is not over for want of time.
func TestPatience_Stopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ctx, stop := newPatience(t.Context(), "x", time.Minute)
		stop()
		p.restart()
		time.Sleep(time.Hour)
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			t.Errorf("cause = %v, want %v", cause, context.Canceled)
		}
	})
}

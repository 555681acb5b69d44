package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// missed tells after which time, and why, a deadline is missed under cfg while
// events happen; "" when none is within an hour.
func missed(t *testing.T, cfg Config, events func(*deadlines)) (after time.Duration, reason string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		start := time.Now()
		d := newDeadlines(cfg)
		done := make(chan struct{})
		go func() {
			defer close(done)
			events(d)
		}()
		d.watch(ctx, func(r string) { reason, after = r, time.Since(start) })
		<-done
	})
	return after, reason
}

func TestDeadlines(t *testing.T) {
	all := Config{Timeout: time.Minute, IdleTimeout: 20 * time.Second, ExitGrace: 5 * time.Second}
	const idle, grace = "the agent printed nothing for 20s", "the agent was still alive 5s after run_finished"
	for name, tt := range map[string]struct {
		cfg    Config
		events func(*deadlines)
		after  time.Duration
		reason string
	}{
		"none set":   {Config{}, func(*deadlines) {}, 0, ""},
		"whole run":  {Config{Timeout: time.Minute}, func(*deadlines) {}, time.Minute, "the agent ran longer than 1m0s"},
		"silence":    {all, func(*deadlines) {}, 20 * time.Second, idle},
		"heard once": {all, outputAfter(15 * time.Second), 35 * time.Second, idle},
		"heard all the time": {all, func(d *deadlines) {
			for range 100 {
				outputAfter(15 * time.Second)(d)
			}
		}, time.Minute, "the agent ran longer than 1m0s"},
		"finished":        {all, finishAfter(10*time.Second, true), 15 * time.Second, grace},
		"another begins":  {all, func(d *deadlines) { finishAfter(10*time.Second, true)(d); finishAfter(time.Second, false)(d) }, 20 * time.Second, idle},
		"no grace is set": {Config{IdleTimeout: time.Second}, func(d *deadlines) { d.finish(true) }, 0, ""},
		"our own silence": {Config{IdleTimeout: 20 * time.Second}, func(d *deadlines) {
			d.markOutput(true)
			time.Sleep(10 * time.Minute)
			d.markOutput(false)
		}, 10*time.Minute + 20*time.Second, idle},
	} {
		t.Run(name, func(t *testing.T) {
			after, reason := missed(t, tt.cfg, tt.events)
			if after != tt.after || reason != tt.reason {
				t.Errorf("watch missed %q after %v, want %q after %v", reason, after, tt.reason, tt.after)
			}
		})
	}
}

func outputAfter(wait time.Duration) func(*deadlines) {
	return func(d *deadlines) {
		time.Sleep(wait)
		d.markOutput(true)
		d.markOutput(false)
	}
}

func finishAfter(wait time.Duration, finished bool) func(*deadlines) {
	return func(d *deadlines) {
		time.Sleep(wait)
		d.finish(finished)
	}
}

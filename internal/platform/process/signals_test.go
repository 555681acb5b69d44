package process

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// errEnded is the cause that a signal gives in these tests.
var errEnded = errors.New("ended")

// A supervisor that signals the group and the process sends two signals and
// means one; a person who presses Ctrl-C again means the second too.
func TestListen_TwoSignalsAtOnceAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals, again := make(chan os.Signal), 0
		ctx, stop := listen(t.Context(), signals, errEnded, func() { again++ })
		defer stop()
		for _, tt := range []struct {
			after time.Duration
			want  int
		}{{0, 0}, {0, 0}, {sameSignal - 1, 0}, {1, 1}, {0, 2}} {
			time.Sleep(tt.after)
			signals <- os.Interrupt
			synctest.Wait()
			if !errors.Is(context.Cause(ctx), errEnded) || again != tt.want {
				t.Errorf("%v later: cause is %v, called again %d times, want it cancelled and %d", tt.after, context.Cause(ctx), again, tt.want)
			}
		}
	})
}

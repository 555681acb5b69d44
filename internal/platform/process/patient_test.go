package process

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestPatient_WaitsForAReaderUntilTheRunIsToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		p := &DeadlineWriter{ctx: ctx, w: w}
		go func() {
			time.Sleep(time.Hour)
			_, _ = io.ReadFull(r, make([]byte, 4))
			cancel()
		}()
		if n, err := p.Write([]byte("read")); n != 4 || err != nil {
			t.Errorf("Write with a slow reader = %d, %v, want 4 bytes", n, err)
		}
		began := time.Now()
		if _, err := p.Write([]byte("lost")); !errors.Is(err, errStalled) {
			t.Errorf("Write without a reader = %v, want %v", err, errStalled)
		}
		if _, err := p.Write([]byte("next")); !errors.Is(err, errStalled) {
			t.Errorf("Write after one that was given up = %v, want %v", err, errStalled)
		}
		if waited := time.Since(began); waited != Patience {
			t.Errorf("Write waited for %v after the end, want %v", waited, Patience)
		}
		r.Close()
	})
}

func TestPatient_DeliversWhatIsReadAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var b strings.Builder
	p := &DeadlineWriter{ctx: ctx, w: &b}
	if _, err := p.Write([]byte("the last line")); err != nil || b.String() != "the last line" {
		t.Errorf("Write = %v and %q, want the line", err, b.String())
	}
}

// brokenPipe is what a write comes to when the reader has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE}
}

// A reader that is killed has gone before the signal of its death comes: the
// first write that fails waits for that, none after it does.
func TestPatient_WaitsForTheSignalOfAReaderThatDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := &DeadlineWriter{ctx: ctx, w: brokenPipe{}}
		const late = lastWord / 2
		time.AfterFunc(late, cancel)
		began := time.Now()
		if _, err := p.Write([]byte("lost")); !errors.Is(err, syscall.EPIPE) || time.Since(began) != late || ctx.Err() == nil {
			t.Errorf("Write = %v after %v, want EPIPE after %v", err, time.Since(began), late)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := &DeadlineWriter{ctx: t.Context(), w: brokenPipe{}}
		began := time.Now()
		for range 3 {
			if _, err := p.Write([]byte("lost")); !errors.Is(err, syscall.EPIPE) || time.Since(began) != lastWord {
				t.Errorf("Write = %v after %v, want EPIPE after %v", err, time.Since(began), lastWord)
			}
		}
	})
}

func TestAwait_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	if got, err := Await(ctx, func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("Await = %d, %v, want 7", got, err)
	}
	stuck := make(chan struct{})
	defer close(stuck)
	cancel(errEnded)
	_, err := Await(ctx, func() (int, error) {
		<-stuck
		return 0, nil
	})
	if !errors.Is(err, errEnded) {
		t.Errorf("Await of what never comes = %v, want %v", err, errEnded)
	}
}

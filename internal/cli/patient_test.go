package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
)

func TestPatient_WaitsForAReaderUntilTheRunIsToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		p := &patient{ctx: ctx, w: w}
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
		if waited := time.Since(began); waited != patience {
			t.Errorf("Write waited for %v after the end, want %v", waited, patience)
		}
		r.Close()
	})
}

func TestPatient_DeliversWhatIsReadAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var b strings.Builder
	p := &patient{ctx: ctx, w: &b}
	if _, err := p.Write([]byte("the last line")); err != nil || b.String() != "the last line" {
		t.Errorf("Write = %v and %q, want the line", err, b.String())
	}
}

func TestAwait_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	if got, err := await(ctx, func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("await = %d, %v, want 7", got, err)
	}
	stuck := make(chan struct{})
	defer close(stuck)
	cancel(agent.ErrCancelled)
	_, err := await(ctx, func() (int, error) {
		<-stuck
		return 0, nil
	})
	if !errors.Is(err, agent.ErrCancelled) {
		t.Errorf("await of what never comes = %v, want %v", err, agent.ErrCancelled)
	}
}

package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// ErrIdle is the cause of the context of an exchange that Options.Timeout ended:
// it tells that from a caller who gave up.
var ErrIdle = errors.New("idle timeout")

// bounded limits how long next may be silent and how much it may send.
type bounded struct {
	next    http.RoundTripper
	timeout time.Duration
	maxBody int64
}

// RoundTrip waits for the headers; the body that it returns goes on watching.
func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{timeout: b.timeout, ctx: ctx, cancel: cancel}
	w.start()
	resp, err := b.next.RoundTrip(req.WithContext(ctx))
	w.stop()
	if err != nil {
		err = w.explain(err)
		cancel(nil)
		return nil, err
	}
	resp.Body = &boundedBody{body: resp.Body, watch: w, left: b.maxBody, max: b.maxBody}
	return resp, nil
}

// watch ends an exchange when a wait takes too long. The time between two
// waits does not count: a slow reader is not a slow provider.
type watch struct {
	timeout time.Duration
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
}

func (w *watch) start() {
	switch {
	case w.timeout <= 0:
	case w.timer == nil:
		w.timer = time.AfterFunc(w.timeout, func() { w.cancel(ErrIdle) })
	default:
		w.timer.Reset(w.timeout)
	}
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// explain replaces the error of an exchange that the timer ended.
func (w *watch) explain(err error) error {
	if !errors.Is(context.Cause(w.ctx), ErrIdle) {
		return err
	}
	return &chat.Failure{
		Kind:      chat.FailTimeout,
		Retryable: true,
		Message:   fmt.Sprintf("no answer for %s", w.timeout),
	}
}

// boundedBody is a response body under watch that fails beyond max bytes.
type boundedBody struct {
	body      io.ReadCloser
	watch     *watch
	left, max int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLarge()
	}
	b.watch.start()
	n, err := b.body.Read(p)
	b.watch.stop()
	if b.left -= int64(n); b.left < 0 {
		return n + int(b.left), b.tooLarge()
	}
	if err != nil && err != io.EOF {
		err = b.watch.explain(err)
	}
	return n, err
}

func (b *boundedBody) tooLarge() error {
	return &chat.Failure{
		Kind:    chat.FailPayloadTooLarge,
		Message: fmt.Sprintf("the answer is larger than %d bytes", b.max),
	}
}

func (b *boundedBody) Close() error {
	b.watch.stop()
	b.watch.cancel(nil)
	return b.body.Close()
}

package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// Patience is how long a reader that has stopped to read may hold up the end
// of a run, once the run is to end.
const Patience = 2 * time.Second

// errStalled reports that what was written is not being read.
var errStalled = errors.New("nobody reads it, and the run is to end")

// DeadlineWriter is a writer whose writes wait for the reader as long as the run goes
// on, and no longer than Patience when its context has ended. After a write
// that was given up every other one fails at once: half of it may have been
// read.
type DeadlineWriter struct {
	ctx context.Context
	w   io.Writer
	err error
	// gone is done once the reader has closed its end.
	gone sync.Once
}

// NewDeadlineWriter returns a DeadlineWriter that writes to w until ctx has ended.
func NewDeadlineWriter(ctx context.Context, w io.Writer) *DeadlineWriter {
	return &DeadlineWriter{ctx: ctx, w: w}
}

// Write has a copy written by another goroutine, since a write that is given up may
// still go on.
func (p *DeadlineWriter) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func(b []byte) {
		n, err := p.w.Write(b)
		done <- result{n, err}
	}(bytes.Clone(b))
	select {
	case r := <-done:
		if errors.Is(r.err, syscall.EPIPE) {
			p.gone.Do(p.awaitEnd)
		}
		return r.n, r.err
	case <-p.ctx.Done():
	}
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.n, r.err
	case <-timer.C:
		p.err = errStalled
		return 0, p.err
	}
}

// lastWord is how long after its reader has gone a run waits for the signal to
// end. A reader that is killed closes its files a little before the system tells
// its children that it died, and it is the signal that says why the run ends.
const lastWord = 250 * time.Millisecond

// awaitEnd waits for the end of the context, for lastWord at most.
func (p *DeadlineWriter) awaitEnd() {
	timer := time.NewTimer(lastWord)
	defer timer.Stop()
	select {
	case <-p.ctx.Done():
	case <-timer.C:
	}
}

// Await returns what do returns, or the cause of the context's end when that
// comes first: to open a pipe that has no writer, or to read a terminal, takes
// for ever.
func Await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// endable is a file whose reads end with a context.
type endable struct {
	*os.File
	ctx   context.Context
	waits bool   // a read may wait for somebody who writes
	buf   []byte // of the read that may still go on after one that was given up
}

// Read returns the cause of the context's end as its error.
func (e *endable) Read(p []byte) (int, error) {
	if !e.waits {
		if e.ctx.Err() != nil {
			return 0, context.Cause(e.ctx)
		}
		return e.File.Read(p)
	}
	if len(e.buf) < len(p) {
		e.buf = make([]byte, len(p))
	}
	piece := e.buf[:len(p)]
	n, err := Await(e.ctx, func() (int, error) { return e.File.Read(piece) })
	return copy(p, piece[:n]), err
}

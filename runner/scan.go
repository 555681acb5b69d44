package runner

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/platform/proc"
)

// Scan checks a saved stream as Run checks a living one. It takes little
// memory whatever the size, and looks at ctx between reads. An error is one of
// reading, and the Execution then describes what was read before it and has no
// verdict; or that of ctx, and the verdict is cancelled or timeout.
func Scan(ctx context.Context, r io.Reader, cfg Config) (*Execution, error) {
	return scan(ctx, r, cfg, blockSize)
}

// maxJobs bounds how many goroutines scan a stream, each of which takes memory.
const maxJobs = 64

// scan is Scan that reads pieces of that size.
func scan(ctx context.Context, r io.Reader, cfg Config, size int) (*Execution, error) {
	e := &Execution{Started: time.Now()}
	c := newChecker(cfg, e, cfg.MaxStream)
	in := c.newInput(true)
	var err error
	if cfg.Jobs > 1 && cfg.Convert == nil {
		err = feedBlocks(ctx, c, r, min(cfg.Jobs, maxJobs), size)
	} else {
		err = feed(ctx, in, r, size)
	}
	e.Ended = time.Now()
	if started, ended, known := c.facts.times(); known {
		e.Started, e.Ended = started, ended
	}
	if err != nil && ctx.Err() == nil {
		e.ReadError = err.Error()
		c.ending().setVerdict()
		return e, err
	}
	var exit emit.End // as far as it is known
	if cfg.Convert != nil {
		exit = cfg.Convert.End
	}
	in.close(exit)
	streamErrors := e.Errors
	if exit.Signal != 0 {
		c.exitStatus(proc.Exit{Status: -1, Signal: fmt.Sprintf("signal %d", exit.Signal)})
	} else if exit.ExitStatus != nil {
		c.exitStatus(proc.Exit{Status: *exit.ExitStatus})
	}
	c.further()
	end := c.ending()
	end.streamErrors = streamErrors
	end.stoppedBy(ctx)
	if !cfg.FindingsOnly {
		end.setVerdict()
	}
	return e, err
}

// buffers are what streams are read into, one after another.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func feed(ctx context.Context, in io.Writer, r io.Reader, size int) error {
	if whole, ok := r.(interface{ Len() int }); ok { // it is in memory
		size = min(size, max(1, whole.Len()))
	}
	held := buffers.Get().(*[]byte)
	defer buffers.Put(held)
	if cap(*held) < size {
		*held = make([]byte, size)
	}
	buf := (*held)[:size]
	for ctx.Err() == nil {
		n, err := r.Read(buf)
		_, _ = in.Write(buf[:n]) // never fails
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

package runner

import (
	"context"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
)

// Scan checks a saved stream as Run checks a living one. It takes little
// memory whatever the size, and looks at ctx between reads. An error is one of
// reading, and the Execution then describes what was read before it and has no
// verdict; or that of ctx, and the verdict is cancelled or timeout.
func Scan(ctx context.Context, r io.Reader, cfg Config) (*Execution, error) {
	e := &Execution{Started: time.Now()}
	c := newChecker(cfg, e, cfg.MaxStream)
	in := c.newInput()
	err := feed(ctx, in, r)
	e.Ended = time.Now()
	if err != nil && ctx.Err() == nil {
		e.Findings = c.findings.list()
		return e, err
	}
	in.close(adapter.End{})
	streamErrors := e.Errors
	c.further()
	end := c.ending()
	end.streamErrors = streamErrors
	end.stoppedBy(ctx)
	end.setVerdict()
	return e, err
}

func feed(ctx context.Context, in io.Writer, r io.Reader) error {
	buf := make([]byte, 64<<10)
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

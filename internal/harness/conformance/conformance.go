// Package conformance runs a third-party validator on the golden streams and reports
// what it gets wrong.
package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// strictVariable says to the command that warnings count as errors.
const strictVariable = "OPENAGENT_STRICT"

// Options say what is run, and how.
type Options struct {
	// Command reads one stream from its standard input, and exits with 0 exactly
	// when that is valid.
	Command []string
	// Timeout is the time for one stream, and Slow the error of a longer one.
	Timeout time.Duration
	Slow    error
	// Jobs is the number of commands that run at the same time.
	Jobs int
}

// Result is what the command made of the streams.
type Result struct {
	Failures []golden.Failure // in the order of the streams
	cases    []outcome
	time     time.Duration
}

// outcome is what the command made of one stream; failure is nil when it was
// right.
type outcome struct {
	vector  golden.Vector
	failure *golden.Failure
	started time.Time
	time    time.Duration
}

// Run runs the command on every stream, and shows on a terminal how far it is. A
// command that cannot be started, takes too long or is ended by a signal is an
// error, which ends the others.
func Run(ctx context.Context, p *process.Process, vectors []golden.Vector, o Options) (*Result, error) {
	path, err := exec.LookPath(o.Command[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("find the command: %w", err)
	}
	r := &Result{}
	started := time.Now()
	if r.cases, err = runAll(ctx, p, path, vectors, o); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	r.time = time.Since(started)
	for _, c := range r.cases {
		if c.failure != nil {
			r.Failures = append(r.Failures, *c.failure)
		}
	}
	return r, nil
}

// runAll runs the command on every stream, so many at a time, until one run of it
// says nothing about its stream.
func runAll(ctx context.Context, p *process.Process, path string, vectors []golden.Vector, o Options) ([]outcome, error) {
	progress := term.NewStatus(p.Err)
	defer progress.Clear()
	cases := make([]outcome, len(vectors))
	var done atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(o.Jobs)
	for i, v := range vectors {
		workers.Go(func() (err error) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			cases[i] = outcome{vector: v, started: time.Now()}
			cases[i].failure, err = v.Verify(func(stream []byte, strict bool) (bool, error) { return accepts(ctx, p, path, stream, strict, o) })
			cases[i].time = time.Since(cases[i].started)
			progress.Set(fmt.Sprintf("verify: %d of %d streams", done.Add(1), len(vectors)))
			return err
		})
	}
	return cases, workers.Wait()
}

// accepts runs the command on one stream.
func accepts(ctx context.Context, p *process.Process, path string, stream []byte, strict bool, o Options) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, o.Slow)
	defer cancel()
	env := p.ForeignEnviron()
	if strict {
		env = append(env, strictVariable+"=1")
	}
	command, err := proc.Start(proc.Command{Path: path, Args: o.Command, Env: env, Stdin: bytes.NewReader(stream)})
	if err != nil {
		return false, err
	}
	switch exit := command.Wait(ctx); {
	case ctx.Err() != nil:
		return false, fmt.Errorf("%s: %w", o.Command[0], context.Cause(ctx))
	case exit.Signal != "":
		return false, fmt.Errorf("%s was ended by %s", o.Command[0], exit.Signal)
	default:
		return exit.Status == 0, nil
	}
}

// RefusesAll reports whether there were valid streams and none was accepted: the
// command may not run at all.
func (r *Result) RefusesAll() bool {
	valid, refused := 0, 0
	for _, c := range r.cases {
		if c.vector.Valid {
			valid++
		}
	}
	for _, f := range r.Failures {
		if !f.Accepted {
			refused++
		}
	}
	return valid > 0 && refused == valid
}

// WriteHuman writes for people what the command got wrong.
func (r *Result) WriteHuman(w io.Writer) error {
	var text strings.Builder
	for _, f := range r.Failures {
		text.WriteString(describe(f) + "\n")
	}
	fmt.Fprintf(&text, "%d of %d streams judged rightly\n", len(r.cases)-len(r.Failures), len(r.cases))
	_, err := io.WriteString(w, text.String())
	return err
}

// Scripts returns the streams as results of scripts, whose forms they share.
func (r *Result) Scripts(o report.Origin) scenarioresult.Totals {
	totals := scenarioresult.Totals{Time: r.time, Origin: o}
	for _, c := range r.cases {
		s := scenarioresult.Script{Name: c.vector.Name, File: c.vector.File, Outcome: scenarioresult.Passed, Started: c.started, Time: c.time}
		if c.failure != nil {
			said := strings.TrimPrefix(describe(*c.failure), c.vector.File+": ")
			s.Outcome, s.Log = scenarioresult.Failed, "FAIL: "+c.vector.File+": "+said+"\n"
		}
		totals.Scripts = append(totals.Scripts, s)
	}
	return totals
}

// describe returns a failure with the findings that the command missed.
func describe(f golden.Failure) string {
	line := f.String()
	if f.Vector.Strict {
		line += " (strict)"
	}
	for _, e := range f.Vector.Findings {
		line += fmt.Sprintf(" [%s at line %d]", e.Rule, e.Line)
	}
	return line
}

// Command openagent-archive adds evidence to archives of Parquet tables and checks
// them. It is a program of its own because no other command needs its libraries.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/openagent-ci/openagent/internal/evidence/archive"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// The exit statuses are those of openagent.
const (
	statusOK = iota
	statusFailed
	statusUsage
	statusDelivery
)

// memory is what the program's heap may take before it is collected more often, in
// bytes; little of it lives.
const memory = 40 << 20

// release is the tag of a released program; the linker sets it.
var release = "devel"

const usage = `openagent-archive is started by openagent archive; see openagent archive --help.

usage: openagent-archive add FOLDER EVIDENCE...
       openagent-archive check FOLDER
       openagent-archive version
`

func main() { os.Exit(run(os.Args[1:])) }

// run runs the command line args and returns the exit status.
func run(args []string) int {
	debug.SetMemoryLimit(memory)
	p, err := process.Claim(nil)
	if err != nil {
		return complain(os.Stderr, err)
	}
	switch {
	case len(args) > 2 && args[0] == "add":
		return add(&p, args[1], args[2:])
	case len(args) == 2 && args[0] == "check":
		return check(&p, args[1])
	case len(args) == 1 && args[0] == "version":
		return said(&p, statusOK, "openagent-archive %s\n", release)
	}
	fmt.Fprint(p.Err, usage)
	return statusUsage
}

// errStopped is why a signal ends an add.
var errStopped = errors.New("stopped by a signal; what was added stays, and the same command adds the rest")

// add adds evidence and says what became of it.
func add(p *process.Process, to string, names []string) int {
	ctx, stop := p.UntilSignal(context.Background(), errStopped, func() {})
	defer stop()
	ctx, end := p.UntilOrphan(ctx)
	defer end()
	added, err := archive.Add(ctx, p.Env, to, names, archive.Options{
		Masks:  redact.New(p.Secrets(nil)),
		Refuse: func(err error) { complain(p.Err, err) },
	})
	status := statusOK
	if added.Refused > 0 {
		status = statusFailed
	}
	status = max(status, said(p, status, "%d added, %d there before, %d refused\n", added.New, added.Present, added.Refused))
	switch {
	case ctx.Err() != nil && err != nil:
		complain(p.Err, errStopped)
		return max(status, statusFailed)
	case err != nil:
		return complain(p.Err, err)
	}
	return status
}

// maxProblems bounds the problems of an archive that are printed.
const maxProblems = 100

// check checks an archive and says what it came to.
func check(p *process.Process, dir string) int {
	p.CatchPipes()
	c, err := archive.Check(context.Background(), p.Path(dir), dir)
	if err != nil {
		return complain(p.Err, err)
	}
	for i, problem := range c.Problems {
		if i == maxProblems {
			term.Message(p.Err, "error", fmt.Sprintf("and %d more", len(c.Problems)-i))
			break
		}
		term.Message(p.Err, "error", term.Bounded(problem))
	}
	if c.Left > 0 {
		term.Message(p.Err, "warning", fmt.Sprintf("an add was interrupted: %d files that it left are not part of the archive, and the next add removes them", c.Left))
	}
	status := statusOK
	if len(c.Problems) > 0 {
		status = statusFailed
	}
	for _, name := range archive.Tables() {
		if s := said(p, status, "%-10s %8d files %12d rows\n", name, c.Files[name], c.Rows[name]); s != status {
			return s
		}
	}
	return status
}

// said prints a text and returns the status, or that of a text which could not be
// printed.
func said(p *process.Process, status int, format string, args ...any) int {
	if _, err := fmt.Fprintf(p.Out, format, args...); err != nil {
		return complain(p.Err, fmt.Errorf("print the result: %w", err))
	}
	return status
}

// complain prints err with its hint and returns the status of what could not be done.
func complain(w io.Writer, err error) int {
	term.Message(w, "error", term.Bounded(err.Error()))
	if text := hint.Of(err); text != "" {
		term.Message(w, "hint", text)
	}
	return statusDelivery
}

// Command openagent-archive adds evidence to archives of Parquet tables and checks
// them. It is a program of its own because no other command needs its libraries.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"time"

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

const usage = `Keep the evidence of many runs as Parquet tables.

Usage:
  openagent-archive add --to FOLDER EVIDENCE...
  openagent-archive compact [--date YYYY-MM-DD] FOLDER
  openagent-archive check FOLDER
  openagent-archive version

add adds saved runs to an archive: a folder of Parquet tables (runs, steps, tool_calls,
findings, events, scenarios), with a folder for each day, that DuckDB, Spark, Trino
and others read. A new or empty FOLDER becomes an archive. EVIDENCE is the folder of a
run, or the folder or results.json of openagent test --out. docs/archive.md has the
columns and queries.

The same evidence is one row, however often it is added and by however many at once.
Evidence that is torn, changed, without a manifest or of another version is refused,
and the rest is added. An add that is interrupted can be repeated.

compact rewrites the files of each day, or of one, into one for each table. It can be
interrupted and repeated like an add. Queries that run during its last moments can see
a run twice.

check reads all files of an archive and compares columns and digests: whether each run
and each results file is in it once and whole.

Exit status: 0 done, 1 some EVIDENCE was refused, a signal came, or check found the
archive not to be whole, 2 wrong command line, 3 the archive could not be read or
written.

Examples:
  openagent-archive add --to archive openagent-out/*
  openagent-archive check archive
`

func main() { os.Exit(run(os.Args[1:])) }

// run runs the command line args and returns the exit status.
func run(args []string) int {
	debug.SetMemoryLimit(memory)
	p, err := process.Claim(nil)
	if err != nil {
		return complain(os.Stderr, err)
	}
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	options := flag.NewFlagSet(verb, flag.ContinueOnError)
	options.SetOutput(io.Discard)
	to := options.String("to", "", "")
	date := ""
	options.Func("date", "", func(s string) (err error) {
		if _, err = time.Parse(time.DateOnly, s); err != nil {
			return errors.New("want a day as YYYY-MM-DD")
		}
		date = s
		return nil
	})
	err = options.Parse(args)
	args = options.Args()
	switch {
	case errors.Is(err, flag.ErrHelp), slices.Contains([]string{"", "help", "-h", "--help"}, verb):
		return said(&p, statusOK, "%s", usage)
	case err != nil:
	case slices.Contains(args, ""):
		err = errors.New("an argument is empty: a variable may have no value")
	case verb == "compact" && *to == "" && len(args) == 1:
		return compact(&p, args[0], date)
	case date != "":
		err = errors.New("--date is for compact FOLDER")
	case verb == "add" && *to == "":
		err = errors.New("the folder of the archive is missing: name it by --to")
	case verb == "add" && len(args) > 0:
		return add(&p, *to, args)
	case verb == "check" && *to == "" && len(args) == 1:
		return check(&p, args[0])
	case verb == "version" && *to == "" && len(args) == 0:
		return said(&p, statusOK, "openagent-archive %s\n", release)
	default:
		err = errors.New("want add --to FOLDER EVIDENCE..., compact FOLDER, check FOLDER or version")
	}
	complain(p.Err, hint.With(err, "run openagent-archive --help"))
	return statusUsage
}

// errStopped is why a signal ends an add or a compaction.
var errStopped = errors.New("stopped by a signal; what was done stays, and the same command does the rest")

// untilSignal calls do, which a signal ends, and returns the status of its error.
func untilSignal(p *process.Process, do func(context.Context) error) int {
	ctx, stop := p.UntilSignal(context.Background(), errStopped, func() {})
	defer stop()
	switch err := do(ctx); {
	case err == nil:
		return statusOK
	case ctx.Err() != nil:
		complain(p.Err, errStopped)
		return statusFailed
	default:
		return complain(p.Err, err)
	}
}

// add adds evidence and prints what became of it.
func add(p *process.Process, to string, names []string) int {
	var added archive.Added
	status := untilSignal(p, func(ctx context.Context) (err error) {
		added, err = archive.Add(ctx, p.Env, to, names, redact.New(p.Secrets(nil)), func(err error) { complain(p.Err, err) })
		return err
	})
	if added.Refused > 0 {
		status = max(status, statusFailed)
	}
	return max(status, said(p, status, "%d added, %d there before, %d refused\n", added.New, added.Present, added.Refused))
}

// compact compacts an archive and prints the result.
func compact(p *process.Process, dir, date string) int {
	var before, after int
	status := untilSignal(p, func(ctx context.Context) (err error) {
		before, after, err = archive.Compact(ctx, p.Env, dir, date)
		return err
	})
	if status != statusOK {
		return status
	}
	return said(p, status, "%d files before, %d now\n", before, after)
}

// maxProblems bounds the problems of an archive that are printed.
const maxProblems = 100

// check checks an archive and prints the result.
func check(p *process.Process, dir string) int {
	p.CatchPipes()
	c, err := archive.Check(p.Path(dir), dir)
	if err != nil {
		return complain(p.Err, err)
	}
	for i, problem := range c.Problems {
		if i == maxProblems {
			term.Message(p.Err, "error", fmt.Sprintf("and %d more", len(c.Problems)-i))
			break
		}
		term.Message(p.Err, "error", problem)
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
	term.Message(w, "error", err.Error())
	if text := hint.Of(err); text != "" {
		term.Message(w, "hint", text)
	}
	return statusDelivery
}

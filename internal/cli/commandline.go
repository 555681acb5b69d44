package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

// ownsSignals marks the commands that end in their own way at a signal,
// whenever it comes, and do not fail for a signal after their end.
const ownsSignals = "owns-signals"

// ownProcess marks the commands that cannot share a process.
const ownProcess = "own-process"

// prepare does what comes before every command.
func (p *program) prepare(cmd *cobra.Command, _ []string) error {
	if cmd.Annotations[ownsSignals] == "" {
		p.ReleaseSignals()
	}
	if p.Shared() && cmd.Annotations[ownProcess] != "" {
		return &flags.UsageError{Err: hint.With(fmt.Errorf("%s needs a process of its own", cmd.CommandPath()),
			"write exec before it in the script")}
	}
	return nil
}

// fill gives flags the values of their variables, for commands that do it before
// anything else.
func (p *program) fill(cmd *cobra.Command, _ []string) error {
	return flags.Fill(p.Env, cmd.Flags(), nil)
}

// CommandLine is one that runs within a process that is not its own, as scripts
// do with many at a time.
type CommandLine struct {
	Args []string
	// Place is where it runs; its folder must be named.
	process.Env
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the command line and returns its exit status. The process stays as it
// was: what commands leave behind in a session of their own is not ended.
func (c CommandLine) Run(ctx context.Context, parts Parts) int {
	p := &program{
		Process: process.Process{Env: c.Env, In: c.Stdin, Out: c.Stdout, Err: c.Stderr}, parts: parts,
	}
	p.Key = p.Getenv(key.Variable)
	return p.execute(ctx, c.Args)
}

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/nearest"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/text/term"
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
	if network := p.Getenv("OPENAGENT_NETWORK"); network != "" && network != "loopback" {
		return &flags.UsageError{Err: hint.With(fmt.Errorf("variable OPENAGENT_NETWORK is %q: want loopback, which keeps runs from endpoints on other machines", redact.Shown(network)),
			"what commands reach is set by --network or OPENAGENT_SANDBOX_NETWORK")}
	}
	p.warnOfVariables(cmd)
	if p.Shared() && cmd.Annotations[ownProcess] != "" {
		return &flags.UsageError{Err: hint.With(fmt.Errorf("%s needs a process of its own", cmd.CommandPath()),
			"write exec before it in the script")}
	}
	return nil
}

// ownVariables are those that stand in for no flag; a name that ends in _ is a prefix.
var ownVariables = []string{
	process.ArtifactsVariable, "OPENAGENT_NETWORK", "OPENAGENT_GUARD", "OPENAGENT_GUARD_FOLDER", "OPENAGENT_KEY_FD", "OPENAGENT_TEST_", "OPENAGENT_BENCH_",
	job.EnvAllowUsers, job.EnvAllowBots, job.EnvOnRefusal, job.EnvRefused, job.EnvMatrix, job.EnvArgs, job.EnvArtifactName, job.EnvUploadArtifact,
}

// warnOfVariables warns of a variable that no command reads, which a misspelled one is.
// An agent leaves that to its harness.
func (p *program) warnOfVariables(cmd *cobra.Command) {
	if p.Getenv(process.ArtifactsVariable) != "" {
		return
	}
	var known []string
	for _, entry := range p.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		own := slices.ContainsFunc(ownVariables, func(o string) bool { return name == o || strings.HasSuffix(o, "_") && strings.HasPrefix(name, o) })
		if !strings.HasPrefix(name, "OPENAGENT_") || value == "" || own || cmd.Flags().Lookup(flags.Named(name)) != nil {
			continue
		}
		if known == nil {
			known = allFlags(cmd.Root())
		}
		if flag := flags.Named(name); !slices.Contains(known, flag) {
			text := fmt.Sprintf("variable %s does nothing: no flag has it", redact.Shown(name))
			if near := nearest.Name(flag, known); near != "" {
				text += "; did you mean " + flags.Variable(near) + "?"
			}
			term.Message(p.Err, "warning", text)
		}
	}
}

// allFlags returns the names of the flags of a command and all below it.
func allFlags(cmd *cobra.Command) (all []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	for _, c := range cmd.Commands() {
		all = append(all, allFlags(c)...)
	}
	return all
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

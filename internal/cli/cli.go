// Package cli holds the commands with their help and own flags, and the exit
// statuses.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/complete"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/github/job"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/early/guard"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// Exit statuses of every command.
const (
	StatusOK       = 0 // ok, clean, or a verdict that does not count as failing
	StatusFailed   = 1 // the run, the check or the verdict failed
	StatusUsage    = 2 // the command line is wrong; nothing was done
	StatusDelivery = 3 // the stream could not be delivered, or the harness itself failed
)

// program is what commands have in common: the process, already taken over.
type program struct {
	process.Process
	// guards reports that this program can be started again as a guard.
	guards bool
	parts  Parts
	// schemas are those that are published; tests put a version beside them.
	schemas schema.Set
}

// origin says where the reports of a command come from.
func (p *program) origin() report.Origin {
	return report.Origin{Version: Version(), Job: job.Current(p.Getenv)}
}

// Main runs the command line args and returns the exit status. It takes over
// the program: stdout, signals and the key in the environment. early is where
// signals to end were sent until now; nil if they were not caught.
func Main(args []string, caught chan os.Signal, parts Parts) int {
	if entry := guard.Entry(); entry != "" {
		harness.EndLeft(entry, guard.Folder())
		return StatusOK
	}
	p := &program{Process: process.Process{Err: os.Stderr}, guards: true, parts: parts}
	given, err := key.Extract(key.Variable)
	if err != nil {
		return p.complain(err, StatusDelivery)
	}
	for _, flag := range []string{"--redact", "--header", "--query"} {
		args = key.HideArguments(flag, args)
	}
	own, err := process.Claim(caught)
	if err != nil {
		return p.complain(err, StatusDelivery)
	}
	p.Process, p.Key = own, given
	return p.main(args)
}

func (p *program) main(args []string) int { return p.execute(context.Background(), args) }

// execute runs the command line args and returns the exit status.
func (p *program) execute(ctx context.Context, args []string) int {
	root := p.root(args)
	root.SetArgs(args)
	help := &process.Latch{W: p.Out}
	root.SetOut(help)
	cmd, err := root, error(nil)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		complete.Values(root, session.ToolNames())
	} else {
		cmd, err = named(root, args)
	}
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil && help.Err != nil {
		err = delivery("print the result", help.Err)
	}
	status, said, known := statusOf(err)
	switch {
	case err == nil:
		return StatusOK
	case known && said == nil:
		return status
	case known:
		return p.complain(said, status)
	}
	// What remains are cobra's own complaints about the command line.
	return p.complain(hint.With(err, "run "+cmd.CommandPath()+" --help to see its commands"), StatusUsage)
}

// Root returns the commands to describe, not to run.
func Root() *cobra.Command { return (&program{}).root(nil) }

// root returns the program's command with all subcommands; args are what is called.
func (p *program) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "openagent",
		Short: "Run an LLM agent in CI, check what it prints, keep the evidence",
		Long: `openagent runs a tool-calling model once in a workspace (run), or runs any agent
that prints the same event stream and checks every line of it (ci, check).

Documentation: https://github.com/openagent-ci/openagent/tree/main/docs`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		PersistentPreRunE: p.prepare,
	}
	// A version of cobra's own would be printed through text/template, which
	// makes the linker keep every method of every type in the program.
	version := root.Flags().BoolP("version", "v", false, "version for openagent")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*version {
			return cmd.Help()
		}
		return p.say("openagent %s\n", Version())
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetErr(p.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return flags.ParseError(cmd.Flags(), cmd.CommandPath(), err)
	})
	addCommands(root, "Run (docs/agent.md, docs/harness.md, docs/testing.md):",
		p.runCommand(), p.ciCommand(), p.testCommand(), p.initCommand())
	addCommands(root, "Look at runs (docs/harness.md):", p.showCommand(), p.diffCommand(), p.reportCommand())
	addCommands(root, "Check streams (docs/contract.md, docs/agents.md):",
		p.checkCommand(), p.explainCommand(), p.convertCommand(), p.schemaCommand(), p.goldenCommand())
	addCommands(root, "Set up (docs/troubleshooting.md):", p.modelCommand(), p.doctorCommand())
	addCommands(root, "", p.devCommand(), p.commentCommand(), p.completionCommand())
	showHelp(root, args)
	return root
}

// release is the tag of a released program; the linker sets it.
var release string

// Version returns the version of this program: its release, or the module's
// when it was installed as one, else "devel".
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || strings.HasPrefix(info.Main.Version, "(") {
		return "devel"
	}
	return info.Main.Version
}

// pinnable returns the version that go install finds this program by, "" for one that
// was built from a checkout.
func pinnable() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return ""
}

// statusError carries the exit status of a command; err is printed
// unless it is nil, because all was said already.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// delivery returns err, unless there is none, as the error of a step that could not
// be delivered. Without a step one that has a status already has it still.
func delivery(step string, err error) error {
	_, _, known := statusOf(err)
	switch {
	case err == nil, step == "" && known:
		return err
	case step != "":
		err = fmt.Errorf("%s: %w", step, err)
	}
	return &statusError{StatusDelivery, err}
}

// failure returns err, unless there is none, as that of a command that failed, or
// else could not be delivered.
func failure(err error, failed bool) error {
	if err != nil && failed {
		return &statusError{StatusFailed, err}
	}
	return delivery("", err)
}

// usage returns an error about the command line.
func usage(format string, args ...any) error {
	return &flags.UsageError{Err: fmt.Errorf(format, args...)}
}

// statusOf returns the exit status of an error and what is said of it, nil when
// all was said already. An error that nobody has given a status is not known.
func statusOf(err error) (status int, said error, known bool) {
	var own *statusError
	var wrong *flags.UsageError
	switch {
	case errors.As(err, &own):
		return own.status, own.err, true
	case errors.As(err, &wrong):
		return StatusUsage, wrong, true
	}
	return 0, nil, false
}

// operands returns a check that a command has got between least and most
// arguments; want names them as its usage line does.
func operands(least, most int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return usage("an argument of %s is empty: a variable may have no value", cmd.CommandPath())
		}
		if n := len(args); least <= n && n <= most {
			return nil
		}
		given := "1 argument"
		if len(args) != 1 {
			given = fmt.Sprintf("%d arguments", len(args))
		}
		err := fmt.Errorf("%s given to %s, want %s", given, cmd.CommandPath(), want)
		return &flags.UsageError{Err: hint.With(err, "run "+cmd.CommandPath()+" --help to see what it takes")}
	}
}

// exit returns the error that ends a command with status and no more words.
func exit(status int) error {
	if status == StatusOK {
		return nil
	}
	return &statusError{status: status}
}

// note prints what people should notice about a result.
func (p *program) note(text string) { term.Message(p.Err, "note", text) }

// complain prints err, and its hint if it has one, and returns status.
func (p *program) complain(err error, status int) int {
	term.Message(p.Err, "error", err.Error())
	if text := p.fix(err); text != "" {
		term.Message(p.Err, "hint", text)
	}
	return status
}

// fix returns what to do about err: its hint, or what helps with such errors of files.
func (p *program) fix(err error) string { return cmp.Or(hint.Of(err), p.Fix(err)) }

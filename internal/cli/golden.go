package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/golden"
	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/harness/conformance"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/term"
)

func (p *program) goldenCommand() *cobra.Command {
	return group("golden", "Test a parser with golden streams, compare two streams",
		p.goldenExportCommand(), p.goldenVerifyCommand(), p.goldenDiffCommand())
}

func (p *program) goldenExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export [flags] FOLDER",
		Short: "Write the conformance kit for parsers in any language",
		Long: `Write golden streams, the index vectors.json and a README that says how a parser
proves itself. Files of the same name are replaced, others stay.

Exit status: 0 written, 2 wrong command line, 3 the folder could not be written.`,
		Args: operands(1, 1, "FOLDER"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := golden.Export(p.Path(args[0])); err != nil {
				return delivery("export golden streams", err)
			}
			return p.say("wrote %d vectors to %s\n", len(golden.Vectors()), term.OneLine(args[0], maxPath))
		},
	}
}

// say prints a line of a command's result.
func (p *program) say(format string, args ...any) error {
	_, err := fmt.Fprintf(p.Out, format, args...)
	return delivery("print the result", err)
}

// differ holds the flags of golden diff.
type differ struct {
	flags.GoldenDiff
	program *program
}

// maxPath bounds the path of a file that was written, in characters.
const maxPath = 800

func (p *program) goldenDiffCommand() *cobra.Command {
	d := &differ{program: p}
	cmd := &cobra.Command{
		Use:   "diff [flags] GOT WANT",
		Short: "Compare two streams, ignoring times and run ids",
		Long: `Compare a stream with a golden one, line by line. What differs from run to run is
made equal first: ts (but not whether it falls), run_id, duration_ms, the port of
a provider on this machine, ids of steps of other agents, and paths below the
given folders. Calls that ran in parallel may come in any order: those of one step
or, in a stream without steps, those detected before the other one ended. Keys of
data that the golden line does not have are allowed, missing ones are not. A dash
stands for standard input. With --calls only the tool calls are compared, in their
order, by names and arguments that are the same for every agent: execute_command
{command}, read_file {path} and write_file {path, content}. Other arguments of
these are left out; other tools are compared as they are, and by name alone where
the stream holds a part of the arguments.

Exit status: 0 equal, 1 different, 2 wrong command line, 3 a file could not be
read or written.`,
		Example: `  openagent golden diff events.jsonl want.jsonl
  openagent golden diff --update events.jsonl want.jsonl
  openagent golden diff --calls --workspace "$PWD" codex.jsonl claude.jsonl`,
		Args: operands(2, 2, "GOT and WANT"),
	}
	d.Register(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := d.Check(args[0], args[1], p.Getenv("CI")); err != nil {
			return err
		}
		return d.diff(cmd.Context(), args[0], args[1])
	}
	return cmd
}

func (d *differ) diff(ctx context.Context, gotName, wantName string) error {
	if d.Update == "" && !d.Calls {
		return d.diffLines(ctx, gotName, wantName)
	}
	got, err := d.read(ctx, gotName)
	if err != nil {
		return err
	}
	if d.Update != "" {
		if err := file.Replace(d.program.Path(wantName), d.Roots.Normalize(got)); err != nil {
			return delivery("update golden stream", err)
		}
		return d.program.say("updated %s\n", term.OneLine(wantName, maxPath))
	}
	want, err := d.read(ctx, wantName)
	if err != nil {
		return err
	}
	return d.report(d.Roots.CompareCalls(got, want))
}

// diffLines compares two streams while it reads them.
func (d *differ) diffLines(ctx context.Context, gotName, wantName string) error {
	got, err := d.program.Input(ctx, gotName)
	if err != nil {
		return delivery("read stream", err)
	}
	defer got.Close()
	want, err := d.program.Input(ctx, wantName)
	if err != nil {
		return delivery("read stream", err)
	}
	defer want.Close()
	found, err := d.Roots.CompareStreams(got, want)
	if err != nil {
		return delivery("read stream", err)
	}
	return d.report(found)
}

// report prints what was found.
func (d *differ) report(found []golden.Difference) error {
	if len(found) == 0 {
		return nil
	}
	return cmp.Or(d.program.say("%s", report.Differences(found)), exit(StatusFailed))
}

// read reads a stream whole.
func (d *differ) read(ctx context.Context, name string) (text []byte, err error) {
	in, err := d.program.Input(ctx, name)
	if err == nil {
		defer in.Close()
		text, err = process.ReadUpTo(in, name, harness.MaxCompared)
	}
	return text, delivery("read stream", err)
}

// verifier tests a foreign validator with the conformance kit.
type verifier struct {
	flags.Selection
	program *program
	timeout flags.Span
	format  flags.Choice
	command []string
}

func (p *program) goldenVerifyCommand() *cobra.Command {
	v := &verifier{program: p, timeout: flags.Span(10 * time.Second), Selection: flags.Selection{Jobs: 1}, format: flags.NewChoice(scenarioresult.FormNames()...)}
	cmd := &cobra.Command{
		Use:   "verify [flags] -- COMMAND [ARG...]",
		Short: "Test your parser with every golden stream",
		Long: `Start COMMAND for each golden stream with the stream on its standard input, and
with OPENAGENT_STRICT=1 where warnings are to count as errors. It must exit with
0 exactly when the stream is valid; its output is not looked at. Streams that it
judges wrongly are listed with their purpose. The formats for programs are those
of openagent test, with a case for each stream.

Exit status: 0 all were judged correctly, 1 some were not, 2 wrong command line,
3 the command could not be started, took too long or was ended by a signal.`,
		Example: `  openagent golden verify -- openagent check
  openagent golden verify -- python3 my_parser.py --check`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{ownProcess: "yes"},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&v.Run, "run", "", "use only the streams whose vector has a name that matches this `regexp`")
	fs.IntVarP(&v.Jobs, "jobs", "j", v.Jobs, "number of commands that run at the same time")
	fs.Var(&v.timeout, "timeout", "time for one stream")
	fs.Var(&v.format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at := cmd.ArgsLenAtDash()
		if at != 0 || len(args) == 0 {
			return usage("want a command after --, as in: openagent golden verify -- ./my-parser")
		}
		v.command = args
		vectors, err := v.vectors()
		if err != nil {
			return err
		}
		return v.verify(cmd.Context(), vectors)
	}
	return cmd
}

// vectors returns those that the flags select.
func (v *verifier) vectors() ([]golden.Vector, error) {
	selected, err := v.Pattern()
	if err != nil {
		return nil, err
	}
	vectors := slices.DeleteFunc(golden.Vectors(), func(g golden.Vector) bool { return !selected.MatchString(g.Name) })
	if len(vectors) == 0 {
		return nil, v.Nothing("vector")
	}
	return vectors, nil
}

// verify runs the command, prints what it got wrong, and returns the error that
// carries the exit status.
func (v *verifier) verify(ctx context.Context, vectors []golden.Vector) error {
	ctx, stop := v.program.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	result, err := conformance.Run(ctx, &v.program.Process, vectors, conformance.Options{
		Command: v.command, Timeout: v.timeout.Duration(), Slow: fmt.Errorf("took longer than %s", v.timeout.String()), Jobs: v.Jobs,
	})
	if err != nil {
		return &statusError{StatusDelivery, err}
	}
	var text strings.Builder
	if v.format.Value == formatHuman {
		err = result.WriteHuman(&text)
	} else {
		err = scenarioresult.Write(&text, v.format.Value, result.Scripts(v.program.origin()))
	}
	if err != nil {
		return &statusError{StatusDelivery, err}
	}
	if err := v.program.say("%s", text.String()); err != nil {
		return err
	}
	switch {
	case len(result.Failures) == 0:
		return nil
	case result.RefusesAll():
		return &statusError{StatusFailed, hint.With(errors.New("the command refuses every stream"),
			"see whether it runs at all: openagent golden export kit, then feed it kit/valid/minimal.jsonl")}
	}
	return exit(StatusFailed)
}

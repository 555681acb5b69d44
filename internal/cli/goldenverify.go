package cli

import (
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
	"github.com/openagent-ci/openagent/internal/harness/conformance"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

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

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/atomicfile"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/value"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
)

// fromAuto has the stream itself show whose it is.
const fromAuto = "auto"

// convert holds the flags of convert.
type convert struct {
	program  *program
	from     value.Choice
	status   value.ExitStatus
	signal   value.Signal
	findings string
	strict   bool
	clock    value.Clock
	runID    value.Identifier
}

func (p *program) convertCommand() *cobra.Command {
	c := &convert{program: p, from: value.Choice{Among: append(adapter.Names(), fromAuto)}}
	cmd := &cobra.Command{
		Use:   "convert [flags] --from AGENT [FILE|-]",
		Short: "Print another agent's saved stream as a stream of the contract",
		Long: `Read the stream that another agent has printed, from a file or, for a dash or
nothing, from standard input, and print it as a stream of the contract, each line
as it comes. With --from auto the first line that can be read decides which agent
it was.

A saved stream does not say how its process ended: give --exit-status or --signal
if you know. Without them, an agent that reported success and then failed counts
as successful. Findings go to standard error.

Exit status: 0 the stream was converted, however the run ended, 1 findings of
severity error, 2 wrong command line, or a stream of no known agent, 3 the stream
could not be read or not delivered.`,
		Example: `  openagent convert --from codex --exit-status 0 native.jsonl >events.jsonl
  codex exec --json 'fix the failing test' | openagent convert --from codex | openagent check --strict`,
		Args:    operands(0, 1, "one FILE at most"),
		PreRunE: p.fill,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.convert(cmd.Context(), args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.Var(&c.from, "from", "`agent` that printed the stream, by its name; auto for the one that its first line shows")
	fs.Var(&c.status, "exit-status", "exit status of the agent's process (default: not known)")
	fs.Var(&c.signal, "signal", "signal that ended the agent's process, by `name` or number")
	fs.StringVar(&c.findings, "findings", "", "write the findings to this `file` too, as check --format json does")
	fs.BoolVar(&c.strict, "strict", false, "warnings about the agent's stream count as errors")
	fs.Var(&c.runID, "run-id", "id of a run that has none in its stream (default: a random one)")
	fs.Var(&c.clock, "clock", "fixed clock for lines without a time, for reproducible output")
	return cmd
}

// convert converts the stream and returns the error that carries the exit status.
func (c *convert) convert(ctx context.Context, args []string) error {
	p := c.program
	conv, err := c.source()
	if err != nil {
		return err
	}
	p.CatchPipes()
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	e, err := harness.Convert(ctx, &p.Process, name, conv, c.strict)
	switch {
	case errors.As(err, &harness.UnknownSourceError{}):
		return &flags.UsageError{Err: fmt.Errorf("convert %s: %w", harness.StreamName(name), err)}
	case err != nil:
		return &statusError{StatusDelivery, fmt.Errorf("convert %s: %w", harness.StreamName(name), err)}
	}
	file := report.NewCheckFile(harness.StreamName(name), e)
	if err := c.report(file); err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("report findings: %w", err)}
	}
	if !file.Valid {
		return exit(StatusFailed)
	}
	return nil
}

// source says what is converted, by the flags.
func (c *convert) source() (runner.Convert, error) {
	clock := event.NewClock()
	if c.clock.At != nil {
		clock = event.NewFixedClock(*c.clock.At)
	}
	conv := runner.Convert{
		RunID: string(c.runID), Now: clock.Tick,
		End: emit.End{ExitStatus: c.status.Status, Signal: int(c.signal)},
	}
	if conv.RunID == "" {
		conv.RunID = record.NewID(clock.Now())
	}
	switch {
	case c.from.Value == "":
		return conv, &flags.UsageError{Err: hint.With(errors.New("no agent: give --from NAME"),
			"the names are "+strings.Join(adapter.Names(), ", ")+", and "+fromAuto+" for what the stream itself shows")}
	case c.status.Status != nil && c.signal != 0:
		return conv, usage("--exit-status and --signal exclude each other: a process that a signal ended has no exit status")
	case c.from.Value != fromAuto:
		conv.Agent, _ = adapter.ByName(c.from.Value) // one of the choices
	}
	return conv, nil
}

// report writes what was found: for people if there is anything, and to the file
// that was named.
func (c *convert) report(file report.CheckFile) error {
	p, files := c.program, []report.CheckFile{file}
	if len(file.Findings) > 0 {
		_ = report.WriteHuman(p.Err, files, view.Colours(p.Err, p.Getenv)) // a closed stderr hides no status
	}
	if c.findings == "" {
		return nil
	}
	var text bytes.Buffer
	if err := report.WriteCheck(&text, "json", p.origin(), files); err != nil {
		return err
	}
	return atomicfile.Replace(p.Path(c.findings), text.Bytes())
}

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/show"
	"github.com/openagent-ci/openagent/internal/text/term"
)

func (p *program) convertCommand() *cobra.Command {
	c := flags.NewConvert()
	cmd := &cobra.Command{
		Use:   "convert [flags] --from AGENT [FILE|-]",
		Short: "Convert another agent's saved stream, or a log, to a stream of the contract",
		Long: `Read the stream that another agent has printed, from a file or, for a dash or
nothing, from standard input, and print it as a stream of the contract, each line
as it comes. With --from auto the first line that can be read decides which agent
it was. With --from openagent-log the input is the log of openagent run --events,
and the stream is the one that the run printed; a broken line ends it.

A saved stream does not say how its process ended: give --exit-status or --signal
if you know. Without them, an agent that reported success and then failed counts
as successful. Findings go to standard error.

Exit status: 0 the stream was converted, however the run ended, 1 findings of
severity error, or a broken line of a log, 2 wrong command line, or a stream of no known agent, 3 the stream
could not be read or not delivered.`,
		Example: `  openagent convert --from codex --exit-status 0 native.jsonl >events.jsonl
  codex exec --json 'fix the failing test' | openagent convert --from codex | openagent check --strict`,
		Args: operands(0, 1, "one FILE at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := flags.OnCommandLine(cmd.Flags())
			if err := p.fill(cmd, args); err != nil {
				return err
			}
			return p.convert(cmd.Context(), c, given, args)
		},
	}
	c.Register(cmd.Flags())
	return cmd
}

// convert converts the stream and returns the error that carries the exit status.
func (p *program) convert(ctx context.Context, c *flags.Convert, given map[string]bool, args []string) error {
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	if ok, err := c.FromLog(given); ok {
		return cmp.Or(err, p.convertLog(ctx, name))
	}
	conv, err := c.Source()
	if err != nil {
		return err
	}
	p.CatchPipes()
	e, err := harness.Convert(ctx, &p.Process, name, conv, c.Strict)
	switch {
	case errors.As(err, &harness.UnknownSourceError{}):
		return &flags.UsageError{Err: fmt.Errorf("convert %s: %w", harness.StreamName(name), err)}
	case err != nil:
		return delivery("convert "+harness.StreamName(name), err)
	}
	checked := report.NewCheckFile(harness.StreamName(name), e)
	if err := p.reportFindings(checked, c.Findings); err != nil {
		return delivery("report findings", err)
	}
	if !checked.Valid {
		return exit(StatusFailed)
	}
	return nil
}

// convertLog prints the stream of an internal log.
func (p *program) convertLog(ctx context.Context, name string) error {
	p.CatchPipes()
	in, err := p.Input(ctx, name)
	if err == nil {
		defer in.Close()
		status := term.NewStatus(p.Err)
		defer status.Clear()
		err = show.WriteStream(p.Out, status.Reader(in, "log"))
	}
	if err != nil {
		err = fmt.Errorf("convert %s: %w", harness.StreamName(name), err)
	}
	return failure(err, errors.Is(err, show.ErrLogLine))
}

// reportFindings writes what was found: for people if there is anything, and to the
// file of a name, unless that is empty.
func (p *program) reportFindings(checked report.CheckFile, name string) error {
	files := []report.CheckFile{checked}
	if len(checked.Findings) > 0 {
		_ = report.WriteHuman(p.Err, files, term.Colours(p.Err, p.Getenv)) // a closed stderr hides no status
	}
	if name == "" {
		return nil
	}
	var text bytes.Buffer
	if err := report.WriteCheck(&text, "json", p.origin(), files); err != nil {
		return err
	}
	return file.Replace(p.Path(name), text.Bytes())
}

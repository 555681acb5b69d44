package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/report/show"
	"github.com/openagent-ci/openagent/internal/text/term"
)

func (p *program) projectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "project [flags] <LOG",
		Short: "Print the event stream of a saved internal log",
		Long: `Read an internal log, as openagent run --events writes it, from standard input
and print the event stream that the run printed. Each further run in the log
begins a stream of its own; kinds that the contract has no type for are ignored.
Lines may have up to 64 MiB. The first line that is broken ends the command.

Exit status: 0 the whole log was printed, 1 a line of it is broken,
2 wrong command line, 3 the log could not be read or the stream not delivered.`,
		Example: `  openagent run --script demo --events log.jsonl
  openagent project <log.jsonl | openagent check --strict`,
		Args: operands(0, 0, "none: the log comes on standard input"),
		RunE: func(*cobra.Command, []string) error {
			p.CatchPipes()
			status := term.NewStatus(p.Err)
			defer status.Clear()
			err := show.WriteStream(p.Out, status.Reader(p.In, "log"))
			if err != nil {
				err = fmt.Errorf("project the log: %w", err)
			}
			return failure(err, errors.Is(err, show.ErrLogLine))
		},
	}
}

package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/harness"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/report"
)

func (p *program) agentsCommand() *cobra.Command {
	format := flags.NewChoice(formatHuman, "json")
	cmd := &cobra.Command{
		Use:   "agents [flags]",
		Short: "List the other agents whose streams can be converted",
		Long: `List the other agents whose streams can be converted: whether their program is on
PATH, its version and those that the conversion was tested with, and what their
streams do not show.

A program that has to be asked for its version gets five seconds, an empty home
and no keys.

Exit status: 0 the list was printed, whatever is installed, 2 wrong command line,
3 it could not be printed.`,
		Example: `  openagent agents
  openagent agents --format json`,
		Annotations: map[string]string{ownsSignals: "agents"},
		Args:        operands(0, 0, "none"),
		PreRunE:     p.fill,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := p.UntilSignal(cmd.Context(), errors.New("interrupted"), proc.KillAll)
			defer stop()
			agents, err := harness.Agents(ctx, &p.Process)
			if err == nil {
				err = report.WriteAgents(p.Out, agents, format.Value != formatHuman)
			}
			return delivery("list the agents", err)
		},
	}
	cmd.Flags().Var(&format, "format", "how the list is printed")
	return cmd
}

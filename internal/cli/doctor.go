package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/doctor"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/platform/proc"
)

func (p *program) doctorCommand() *cobra.Command {
	format, live := flags.NewChoice(formatHuman, "json"), false
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Show what this machine and job have, what is missing, and how to fix it",
		Long: `Print a line for each fact that runs depend on, with ok, warning or problem, and its
fix: system, git, sandbox, supported agents with their versions, keys by the names of
their variables, endpoint, folders, and in a job its event, permissions and files.

Nothing of the machine is changed. An agent that has to be asked for its version gets
five seconds, an empty home and no keys.

Exit status: 0 no problem, 1 a problem, 2 wrong command line, 3 the facts could not be
printed.`,
		Example: `  openagent doctor
  openagent doctor --format json
  openagent doctor --live`,
		Annotations: map[string]string{ownsSignals: "doctor"},
		Args:        operands(0, 0, "none"),
		PreRunE:     p.fill,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := p.UntilSignal(cmd.Context(), errors.New("interrupted"), proc.KillAll)
			defer stop()
			facts := doctor.Examine(ctx, &p.Process, Version(), live)
			if err := doctor.Write(p.Out, facts, format.Value != formatHuman); err != nil {
				return delivery("print the facts", err)
			}
			if doctor.Failed(facts) {
				return exit(StatusFailed)
			}
			return delivery("examine the machine", ctx.Err())
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&format, "format", "how the facts are printed")
	cmd.Flags().BoolVar(&live, "live", false, "send one request to the endpoint, for its list of models")
	return cmd
}

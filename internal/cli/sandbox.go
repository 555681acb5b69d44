package cli

import (
	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/cli/command"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

func (p *program) sandboxCommand() *cobra.Command {
	return command.Group("sandbox", "Show what this machine supports of the sandbox", p.sandboxStatusCommand())
}

func (p *program) sandboxStatusCommand() *cobra.Command {
	format := flags.NewChoice(formatHuman, "json")
	cmd := &cobra.Command{
		Use:   "status [flags]",
		Short: "Try each part of the sandbox and say what is missing and why",
		Long: `Try each part of the sandbox on this machine, as this user, and say what commands
would get, and what is missing and why. Nothing of the machine is changed.

Exit status: 0 the status was printed, whatever is missing, 2 wrong command line,
3 it could not be printed.`,
		Example: `  openagent sandbox status
  openagent sandbox status --format json`,
		Args:    operands(0, 0, "none"),
		PreRunE: p.fill,
		RunE: func(*cobra.Command, []string) error {
			status, err := sandbox.Survey(sandbox.Policy{Environ: p.Environ(), Temp: p.Temp()})
			if err == nil {
				err = report.WriteSandbox(p.Out, status, format.Value != formatHuman)
			}
			return delivery("say the status of the sandbox", err)
		},
	}
	cmd.Flags().Var(&format, "format", "how the status is printed")
	return cmd
}

package cli

import (
	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

func (p *program) modelEnvCommand() *cobra.Command {
	at, format := flags.ServedModel{}, flags.NewChoice(formatHuman, "json")
	cmd := &cobra.Command{
		Use:   "env AGENT (--base-url URL | --port-file FILE) [flags]",
		Short: "Print the variables that point another agent to a served model",
		Long: `Print what has AGENT, a supported one, ask the model that openagent model
serve plays: variables as lines for a shell, a made-up key among them, and before
them as comments the settings that the agent reads from a file and no variable
holds, with the place of that file in the home of the user. Nothing is written.

Exit status: 0 printed, 2 wrong command line, 3 the port file could not be read or
the result not be printed.`,
		Example: `  openagent model serve --script turns.yaml --port-file port &
  eval "$(openagent model env claude --port-file port)"`,
		Args: operands(1, 1, "AGENT"),
	}
	at.Register(cmd.Flags())
	cmd.Flags().Var(&format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		agent, err := adapter.ByName(args[0])
		if err != nil {
			return usage("%v", err)
		}
		origin, err := at.Origin(cmd.Context(), &p.Process)
		if err != nil {
			return delivery("", err)
		}
		settings := endpoint.Point(agent, origin)
		if format.Value != formatHuman {
			return p.say("%s\n", jsontext.MustMarshal(settings))
		}
		return p.say("%s", settings.Shell())
	}
	return cmd
}

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/standin"
	"github.com/openagent-ci/openagent/internal/value"
)

// pointer holds the flags of model env.
type pointer struct {
	program           *program
	baseURL, portFile string
	format            value.Choice
}

func (p *program) modelEnvCommand() *cobra.Command {
	e := &pointer{program: p, format: value.NewChoice(formatHuman, "json")}
	cmd := &cobra.Command{
		Use:   "env AGENT (--base-url URL | --port-file FILE) [flags]",
		Short: "Print the variables that point another agent to a served model",
		Long: `Print what has AGENT, one of openagent agents, ask the model that openagent model
serve plays: variables as lines for a shell, a made-up key among them, and before
them as comments the settings that the agent reads from a file and no variable
holds, with the place of that file in the home of the user. Nothing is written.

Exit status: 0 printed, 2 wrong command line, 3 the port file could not be read or
the result not be printed.`,
		Example: `  openagent model serve --script turns.yaml --port-file port &
  eval "$(openagent model env claude --port-file port)"`,
		Args: operands(1, 1, "AGENT"),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&e.baseURL, "base-url", "", "`URL` that model serve printed")
	fs.StringVar(&e.portFile, "port-file", "", "`file` that model serve wrote its port to")
	fs.Var(&e.format, "format", "how the result is printed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		agent, err := adapter.ByName(args[0])
		if err != nil {
			return usage("%v", err)
		}
		origin, err := e.origin(cmd.Context())
		if err != nil {
			return err
		}
		return e.print(agent, origin)
	}
	return cmd
}

// origin returns the address of the model without a path.
func (e *pointer) origin(ctx context.Context) (string, error) {
	if (e.baseURL == "") == (e.portFile == "") {
		return "", usage("want --base-url URL or --port-file FILE, and one of them")
	}
	if e.baseURL != "" {
		origin, err := standin.ParseOrigin(e.baseURL)
		if err != nil {
			err = usage("--base-url is %q, %w", value.Shown(e.baseURL), err)
		}
		return origin, err
	}
	origin, err := standin.ReadPort(ctx, &e.program.Process, e.portFile)
	if err != nil {
		err = &statusError{StatusDelivery, err}
	}
	return origin, err
}

// print prints what points the agent to the model.
func (e *pointer) print(agent *adapter.Agent, origin string) error {
	settings := standin.Point(agent, origin)
	if e.format.Value != formatHuman {
		return e.program.say("%s\n", jsontext.MustMarshal(settings))
	}
	return e.program.say("%s", settings.Shell())
}

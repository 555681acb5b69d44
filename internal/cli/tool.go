package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/cli/flags"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
)

func (p *program) toolCommand() *cobra.Command {
	c := session.ToolCall{Workspace: ".", MaxOutput: 32 << 10}
	wall, clock, asJSON := flags.NewSandbox(), flags.Clock{}, false
	names := session.ToolNames()
	cmd := &cobra.Command{
		Use:   "tool [flags] NAME [ARGS-JSON]",
		Short: "Run one tool of the agent and print what the model would see",
		Long: `Run one tool of the agent in a workspace, with its arguments as a JSON object, and
print the text that a model would get. No policy is asked. What was cut is kept
below the state folder: read_file reads it by the path that the text names.

The tools are ` + strings.Join(names, ",\n") + `.

Exit status: 0 the tool did what was asked (a command that ran did, whatever its
exit code), 1 it answered with an error, 2 wrong command line, 3 the result
could not be saved or printed.`,
		Example: `  openagent dev tool list_files '{"recursive": true}'
  openagent dev tool --json execute_command '{"command": "go test ./..."}'
  openagent dev tool read_file '{"path": "artifact:artifacts/1-0-stdout.log", "offset_line": -20}'`,
		Args: operands(1, 2, "NAME and ARGS-JSON, a JSON object"), ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			given := flags.OnCommandLine(cmd.Flags())
			if err := p.fill(cmd, args); err != nil {
				return err
			}
			c.Name, c.Arguments, c.Clock = args[0], strings.Join(args[1:], ""), clock.At
			if c.Sandbox, err = wall.Policy(p.Env, given); err != nil {
				return err
			}
			return p.callTool(cmd.Context(), c, asJSON)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.Workspace, "workspace", c.Workspace, "the only `folder` the file tools can reach")
	fs.StringVar(&c.StateDir, "state-dir", "", "`folder` for what was cut (default: the user's state folder)")
	fs.Var((*flags.Size)(&c.MaxOutput), "max-tool-output", "how much of a command's output is shown; the whole goes to an artifact")
	wall.AddTo(fs)
	fs.Var(&clock, "clock", "fixed clock")
	fs.BoolVar(&asJSON, "json", false, "print the canonical result and the text as one JSON object")
	return cmd
}

// callTool calls a tool and prints its result.
func (p *program) callTool(ctx context.Context, c session.ToolCall, asJSON bool) error {
	c.Masks = redact.New(p.Secrets(nil, p.Key))
	result, rendered, err := c.Run(ctx, &p.Process)
	if place := new(session.PlaceError); errors.As(err, &place) {
		return &flags.UsageError{Err: err}
	}
	if err != nil {
		return delivery("", err)
	}
	text := rendered
	if asJSON {
		line, err := jsontext.Marshal(struct {
			Canonical tool.Result `json:"canonical"`
			Rendered  string      `json:"rendered"`
		}{result, rendered})
		if err != nil {
			return delivery("encode the result", err)
		}
		text = string(line)
	}
	// Only known secrets are masked, as in text for a model.
	text, _ = c.Masks.Known(text)
	if err := p.say("%s\n", strings.TrimSuffix(text, "\n")); err != nil {
		return err
	}
	if result.Status == tool.StatusError {
		return exit(StatusFailed)
	}
	return nil
}

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/proc"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/session"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolresult"
	"github.com/openagent-ci/openagent/internal/workspace"
)

// toolCall is one call of a tool without a model.
type toolCall struct {
	program   *program
	workspace string
	state     string // the folder that stateDir or its default comes to
	stateDir  string
	maxOutput size
	clock     clockValue
	json      bool

	redactor *redact.Redactor
}

func (p *program) toolCommand() *cobra.Command {
	c := &toolCall{program: p, workspace: ".", maxOutput: 32 << 10}
	cmd := &cobra.Command{
		Use:   "tool [flags] NAME [ARGS-JSON]",
		Short: "Run one tool of the agent and print what the model would see",
		Long: `Run one tool of the agent in a workspace, with its arguments as a JSON object, and
print the text that a model would get. No policy is asked; the repository's own
data is protected all the same. What was cut is kept below the state folder: a
later call of read_file reads it by the path that the text names.

The tools are ` + strings.Join(session.ToolNames(), ",\n") + `.

Exit status: 0 the tool did what was asked (a command that ran did, whatever its
exit code), 1 it answered with an error, 2 wrong command line, 3 the result
could not be saved or printed.`,
		Example: `  openagent tool list_files '{"recursive": true}'
  openagent tool --json execute_command '{"command": "go test ./..."}'
  openagent tool read_file '{"path": "artifact:artifacts/1-0-stdout.log", "offset_line": -20}'`,
		Args: operands(1, 2, "NAME and ARGS-JSON, a JSON object"), ValidArgs: session.ToolNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fillFromEnvironment(p.Place, cmd.Flags(), nil); err != nil {
				return err
			}
			return c.run(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&c.workspace, "workspace", c.workspace, "the only `folder` the file tools can reach")
	fs.StringVar(&c.stateDir, "state-dir", "", "`folder` for what was cut (default: the user's state folder)")
	fs.Var(&c.maxOutput, "max-tool-output", "how much of a command's output is shown; the whole goes to an artifact")
	fs.Var(&c.clock, "clock", "fixed clock")
	fs.BoolVar(&c.json, "json", false, "print the canonical result and the text as one JSON object")
	return cmd
}

// run calls the tool and prints its result.
func (c *toolCall) run(ctx context.Context, name, arguments string) error {
	ctx, stop := c.program.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	c.program.Adopt()
	opts, err := c.results()
	if err != nil {
		return &statusError{StatusDelivery, hint.With(err, "name a folder by --state-dir")}
	}
	clock := event.NewClock()
	if c.clock.at != nil {
		clock = event.NewFixedClock(*c.clock.at)
	}
	ws, err := workspace.Open(workspace.Options{Root: c.program.Path(c.workspace), Environ: c.program.Environ(), Results: opts, Clock: clock})
	if err != nil {
		return usage("--workspace is %q: %w", c.workspace, err)
	}
	defer ws.Close()
	registry := tool.NewRegistry(append(ws.Tools(), history.Tool(history.Folder(c.state), clock))...)
	result, rendered := execute(ctx, registry, name, json.RawMessage(arguments), tool.Call{ID: "tool", Step: opts.Artifacts.NextStep()})
	ws.EndTasks()
	c.program.EndOrphans()
	if err := opts.Artifacts.Err(); err != nil {
		return &statusError{StatusDelivery, err}
	}
	if err := c.print(result, rendered); err != nil {
		return err
	}
	if result.Status == tool.StatusError {
		return exit(StatusFailed)
	}
	return nil
}

// results returns the bounds of the result. Calls share one folder for what
// was cut, so that a later one can read it.
func (c *toolCall) results() (toolresult.Options, error) {
	state, err := c.program.StateFolder(c.stateDir, c.workspace)
	if err == nil {
		state, err = c.program.Abs(state)
	}
	if err != nil {
		return toolresult.Options{}, err
	}
	c.state = state
	c.redactor = redact.New(c.program.Secrets(nil, c.program.Key))
	return toolresult.Options{
		MaxCommandOutput: int(c.maxOutput),
		Artifacts: toolresult.NewArtifacts(filepath.Join(state, "tool", "artifacts"), func(w io.Writer) io.WriteCloser {
			return redact.NewWriter(w, c.redactor)
		}),
		Mask: c.masked,
	}, nil
}

// masked removes only known secrets, as in text for a model.
func (c *toolCall) masked(s string) string {
	s, _ = c.redactor.Known(s)
	return s
}

// execute runs one call as a run would, without limits, guards or policy, and
// returns its result and the text that a model would get.
func execute(ctx context.Context, registry *tool.Registry, name string, arguments json.RawMessage, call tool.Call) (tool.Result, string) {
	t, ok := registry.Lookup(name)
	var out tool.Output
	if !ok {
		out = tool.Failed(tool.NewError(tool.KindUnknownTool, fmt.Sprintf("there is no tool %q; the tools are %s", name, strings.Join(session.ToolNames(), ", "))))
	} else if prepared, refused := t.Prepare(arguments); refused != nil {
		out = tool.Failed(refused)
	} else {
		out = prepared.Run(ctx, call)
	}
	result := toolresult.Project(t, out)
	return result, toolresult.Render(t, result)
}

// print prints the text as the model gets it, but for a line end at its end.
func (c *toolCall) print(result tool.Result, rendered string) error {
	if !c.json {
		return c.program.say("%s\n", strings.TrimSuffix(c.masked(rendered), "\n"))
	}
	line, err := jsontext.Marshal(struct {
		Canonical tool.Result `json:"canonical"`
		Rendered  string      `json:"rendered"`
	}{result, rendered})
	if err != nil {
		return &statusError{StatusDelivery, fmt.Errorf("encode the result: %w", err)}
	}
	return c.program.say("%s\n", c.masked(string(line)))
}

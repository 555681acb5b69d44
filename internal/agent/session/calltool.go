package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/text/hint"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
	"github.com/openagent-ci/openagent/internal/tool/workspace"
)

// ToolCall is one call of a tool without a model.
type ToolCall struct {
	Name      string
	Arguments string // a JSON object

	Workspace string
	StateDir  string // has what was cut; empty for the user's own folder
	MaxOutput int64  // of a command, in bytes
	// Sandbox is as in Options.
	Sandbox sandbox.Policy
	Clock   *time.Time
	Masks   *redact.Redactor
}

// PlaceError is the error of a call whose workspace cannot be opened, or whose
// sandbox cannot be as it was asked for. Nothing ran.
type PlaceError struct{ error }

func (e *PlaceError) Unwrap() error { return e.error }

// unopened returns the error of the workspace.
func (c ToolCall) unopened(err error) error {
	return &PlaceError{fmt.Errorf("--workspace is %q: %w", c.Workspace, err)}
}

// Run runs the tool as a run would, without limits, guards or policy, and
// returns its canonical result and the text that a model would get. Its error is
// a *PlaceError, or that of a result that could not be saved.
func (c ToolCall) Run(ctx context.Context, p *process.Process) (toolResult tool.Result, rendered string, err error) {
	ctx, stop := p.UntilSignal(ctx, agent.ErrCancelled, proc.KillAll)
	defer stop()
	p.Adopt()
	state, err := p.StateFolder(c.StateDir, c.Workspace)
	if err == nil {
		state, err = p.Abs(state)
	}
	if err != nil {
		return toolResult, "", hint.With(err, "name a folder by --state-dir")
	}
	results := result.Options{
		MaxCommandOutput: int(c.MaxOutput),
		// Calls share one folder for what was cut, so that a later one can read it.
		Artifacts: result.NewArtifacts(filepath.Join(state, "tool", "artifacts"), masked(c.Masks)),
		Mask:      maskKnown(c.Masks),
	}
	clock := clockAt(c.Clock)
	commands, hidden, err := c.openWall(p, state)
	if err != nil {
		return toolResult, "", err
	}
	defer func() { err = errors.Join(err, commands.Close()) }()
	ws, err := workspace.Open(workspace.Options{Root: p.Path(c.Workspace), Environ: p.Environ(), Results: results, Clock: clock, Commands: commands, Hidden: hidden})
	if err != nil {
		return toolResult, "", c.unopened(err)
	}
	defer ws.Close()
	registry := tool.NewRegistry(append(ws.Tools(), history.Tool(history.Folder(state), clock))...)
	toolResult, rendered = c.execute(ctx, registry, tool.Call{ID: "tool", Step: results.Artifacts.NextStep()})
	ws.EndTasks()
	p.EndOrphans()
	return toolResult, rendered, errors.Join(commands.Finish().Err, results.Artifacts.Err())
}

// openWall opens the wall round what the tool starts, if it starts anything. hidden is
// what the tool must not reach either way.
func (c ToolCall) openWall(p *process.Process, state string) (commands *sandboxexec.Commands, hidden []string, err error) {
	root := p.Path(c.Workspace)
	if _, err := os.Stat(root); err != nil {
		return nil, nil, c.unopened(fmt.Errorf("open workspace: %w", err))
	}
	policy, err := c.Sandbox.Complete(p.Env, root, []string{state})
	if err != nil {
		return nil, nil, c.unopened(err)
	}
	if !slices.Contains(workspace.Starters(), c.Name) && c.Sandbox.Mode != sandbox.Require {
		return nil, policy.Hidden, nil
	}
	commands, err = sandboxexec.Open(policy)
	if lacking := new(sandbox.UnavailableError); errors.As(err, &lacking) {
		err = hint.With(err, unavailableHint)
	}
	if err != nil {
		return nil, nil, &PlaceError{err}
	}
	if missing := commands.Warning(); missing != "" {
		p.Logger().Warn("the sandbox for commands is not complete", "missing", missing)
	}
	return commands, policy.Hidden, nil
}

func (c ToolCall) execute(ctx context.Context, registry *tool.Registry, call tool.Call) (tool.Result, string) {
	t, ok := registry.Lookup(c.Name)
	var out tool.Output
	if !ok {
		out = tool.Failed(tool.NewError(tool.KindUnknownTool, fmt.Sprintf("there is no tool %q; the tools are %s", c.Name, strings.Join(ToolNames(), ", "))))
	} else if prepared, refused := t.Prepare(json.RawMessage(c.Arguments)); refused != nil {
		out = tool.Failed(refused)
	} else {
		out = prepared.Run(ctx, call)
	}
	out.Summary, _ = c.Masks.Known(out.Summary)
	toolResult := result.Project(t, out)
	return toolResult, result.Render(t, toolResult)
}

package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/workspace"
)

// toolSpecs describes the tools of every run, sorted by name.
func toolSpecs() []tool.Spec {
	specs := append(workspace.Specs(), history.Tool("", event.NewClock()).Spec)
	slices.SortFunc(specs, func(a, b tool.Spec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

// openHistory opens the session of the run, and the tool that searches all of
// them. Where no folder for it can be had, and none was asked for, the run goes
// on without: a harness in a job need not have a home.
func (r *agentRun) openHistory(ctx context.Context, runID string, clock *event.Clock) (agent.History, tool.Tool, error) {
	f := r.flags
	state, err := r.stateFolder()
	if err != nil {
		return r.withoutHistory(clock, err)
	}
	opts := history.Options{
		Dir: history.Folder(state), Session: string(f.session), RunID: runID, Window: int(f.historyWindow.value),
		Mask: r.redactor.String, Clock: clock, Log: r.process.logger(),
	}
	if f.consolidate {
		opts.Consolidation = &history.Consolidation{Threshold: int(f.consolidateThreshold.value), Keep: float64(f.consolidateKeep)}
	}
	s, err := history.Open(ctx, opts)
	if err != nil {
		return r.withoutHistory(clock, err)
	}
	return s, history.Tool(opts.Dir, clock), nil
}

func (r *agentRun) withoutHistory(clock *event.Clock, err error) (agent.History, tool.Tool, error) {
	if r.flags.session != "" || r.flags.stateDir != "" {
		return nil, tool.Tool{}, before(codeHistory, err).or("name a folder that can be written by --state-dir")
	}
	r.process.logger().Warn("this run leaves no history", "error", err)
	return nil, history.Tool("", clock), nil
}

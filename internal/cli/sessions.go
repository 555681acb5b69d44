package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/record"
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
		Mask: r.redactor.String, Clock: clock, Log: r.program.Logger(),
	}
	if f.consolidate {
		opts.Consolidation = &history.Consolidation{Threshold: int(f.consolidateThreshold.value), Keep: float64(f.consolidateKeep)}
	}
	// Under a harness a session that nobody named would be found by nobody.
	opts.Passing = opts.Session == "" && r.program.Getenv(process.ArtifactsVariable) != ""
	r.dropOldSessions(ctx, opts)
	r.session, err = history.Open(ctx, opts)
	if err != nil {
		return r.withoutHistory(clock, err)
	}
	r.closers = append(r.closers, r.session.Close)
	return r.session, history.Tool(opts.Dir, clock), nil
}

// dropOldSessions removes what --keep-sessions says. A run does not fail for a
// session of others.
func (r *agentRun) dropOldSessions(ctx context.Context, opts history.Options) {
	if r.flags.keepSessions == 0 {
		return
	}
	if _, err := history.DropOld(ctx, opts.Dir, time.Duration(r.flags.keepSessions), opts.Session); err != nil {
		r.program.Logger().Warn("old sessions are not removed", "error", err)
	}
}

// tampered names what commands of the run changed of what it keeps. What cannot
// be looked at counts as changed.
func (r *agentRun) tampered(ctx context.Context, rec *record.Run) (changed []string) {
	changed, err := rec.Verify()
	for i, name := range changed {
		changed[i] = name + " of the run record"
		r.program.Logger().Warn("a command changed what the run had written", "file", name)
	}
	if r.session != nil {
		same, sessionErr := r.session.Verify(ctx)
		err = errors.Join(err, sessionErr)
		if !same || sessionErr != nil {
			changed = append(changed, "the session "+r.session.Name())
		}
	}
	if err != nil {
		r.program.Logger().Warn("what the run keeps cannot be verified", "error", err)
	}
	return changed
}

func (r *agentRun) withoutHistory(clock *event.Clock, err error) (agent.History, tool.Tool, error) {
	if r.flags.session != "" || r.flags.stateDir != "" {
		return nil, tool.Tool{}, before(codeHistory, err).or("name a folder that can be written by --state-dir")
	}
	r.program.Logger().Warn("this run leaves no history", "error", err)
	return nil, history.Tool("", clock), nil
}

// stateFolder returns the folder for what outlives the run, and says so when it
// is not the usual one.
func (r *agentRun) stateFolder() (string, error) {
	if r.state != "" {
		return r.state, nil
	}
	state, err := r.program.StateFolder(r.flags.stateDir, r.root)
	if err != nil {
		return "", err
	}
	if usual, err := r.program.UsualState(r.flags.stateDir); err == nil && usual != state {
		r.program.Logger().Warn("the state folder lies inside the workspace; this run is kept elsewhere",
			"folder", state, "hint", "name one by --state-dir")
	}
	r.state = state
	return state, nil
}

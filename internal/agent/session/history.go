package session

import (
	"context"

	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/platform/file"

	"github.com/openagent-ci/openagent/internal/tool"
)

// openHistory opens the session of the run, and the tool that searches all of
// them. Where no folder for it can be had, and none was asked for, the run goes
// on without: a harness in a job need not have a home.
func (s *setup) openHistory(ctx context.Context, id identity) (*history.Session, tool.Tool, error) {
	state, err := id.state()
	if err != nil {
		return s.withoutHistory(id, err)
	}
	opts := history.Options{
		Dir: history.Folder(state), Session: s.Session, RunID: id.runID, Window: int(s.HistoryWindow),
		Scratch: s.IsScratch(state), Mask: s.masks.String, Clock: id.clock, Log: s.Logger(),
	}
	if s.Consolidate {
		opts.Consolidation = &history.Consolidation{Threshold: int(s.ConsolidateThreshold), Keep: s.ConsolidateKeep}
	}
	// Under a harness a session that nobody named would be found by nobody.
	opts.Passing = opts.Session == "" && s.ArtifactsDir != ""
	opts = s.sessionOf(id.earlier, opts)
	if s.KeepSessions != 0 {
		// A run does not fail for a session of others.
		if _, err := history.DropOld(ctx, opts.Dir, s.KeepSessions, opts.Session); err != nil {
			s.Logger().Warn("old sessions are not removed", "error", err)
		}
	}
	h, err := history.Open(ctx, opts)
	if err != nil {
		return s.withoutHistory(id, err)
	}
	return h, history.Tool(opts.Dir, id.clock), nil
}

func (s *setup) withoutHistory(id identity, err error) (*history.Session, tool.Tool, error) {
	if s.Session != "" || s.StateDir != "" {
		return nil, tool.Tool{}, before(codeHistory, err).or(file.Fix(err, "name a folder that can be written by --state-dir"))
	}
	s.Logger().Warn("this run leaves no history", "error", err)
	return nil, history.Tool("", id.clock), nil
}

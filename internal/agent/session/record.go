package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/history"
	"github.com/openagent-ci/openagent/internal/evidence/resume"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/tool/mcp"
)

// identity is what a run is called, when it is and where.
type identity struct {
	runID       string
	clock       *event.Clock
	fingerprint string
	root        string      // the workspace
	earlier     *resume.Run // that this one goes on with, nil for none
	// state returns the folder for what outlives the run, which is looked for
	// when it is needed first.
	state func() (string, error)
}

func (s *setup) identity(root string) identity {
	return identity{
		runID: s.runID(), clock: s.clock(), root: root,
		state: sync.OnceValues(func() (string, error) { return s.stateFolder(root) }),
	}
}

func (s *setup) clock() *event.Clock { return clockAt(s.Clock) }

// clockAt returns a fixed clock, or the real one for no time.
func clockAt(at *time.Time) *event.Clock {
	if at != nil {
		return event.NewFixedClock(*at)
	}
	return event.NewClock()
}

func (s *setup) runID() string {
	if s.RunID != "" {
		return s.RunID
	}
	return record.NewID(s.clock().Now())
}

// stateFolder returns the folder for what outlives a run in the workspace root,
// and says so when it is not the usual one.
func (s *setup) stateFolder(root string) (string, error) {
	state, err := s.StateFolder(s.StateDir, root)
	if err != nil {
		return "", err
	}
	if usual, err := s.UsualState(s.StateDir); err == nil && usual != state {
		s.Logger().Warn("the state folder lies inside the workspace; this run is kept elsewhere",
			"folder", state, "hint", "name one by --state-dir")
	}
	return state, nil
}

// openRecord opens the run folder, in the folder that a harness gives or else
// in the state folder.
func (s *setup) openRecord(q request, id identity) (*record.Run, error) {
	root := s.ArtifactsDir
	if root == "" {
		state, err := id.state()
		if err != nil {
			return nil, before(codeState, err).or("name a folder by --state-dir")
		}
		root = filepath.Join(state, "runs")
	}
	root, err := s.Abs(root)
	if err != nil {
		return nil, before(codeState, err)
	}
	rec, err := record.Open(root, record.Info{
		RunID: id.runID, Started: id.clock.Now(), CLI: s.maskedFlags(),
		Paths: map[string]string{
			"workspace": s.masks.String(id.root), "run": s.masks.String(filepath.Join(root, id.runID)),
		},
		PromptSHA256: record.Digest([]byte(q.prompt)), PolicySHA256: q.digest, ConfigFingerprint: id.fingerprint,
		Scratch: file.Scratch(s.IsScratch(root)),
	})
	if errors.Is(err, record.ErrExists) {
		return nil, before(codeRunExists, err).or("choose another --run-id or --state-dir, or remove that folder")
	}
	if err != nil {
		return nil, before(codeState, err).or(file.Fix(err, "name a folder that can be written by --state-dir"))
	}
	return rec, nil
}

// maskedFlags returns the effective flags as they may be kept: also an address or
// a path can hold a secret.
func (s *setup) maskedFlags() map[string]any {
	masked := map[string]any{}
	for name, v := range s.Flags {
		if text, ok := v.(string); ok {
			v = s.masks.String(text)
		}
		masked[name] = v
	}
	return masked
}

// tampered names what commands of the run changed of what it keeps. The error is of
// what could not be read or put back.
func (s *setup) tampered(ctx context.Context, rec *record.Run, h *history.Session) (changed []string, err error) {
	changed, err = rec.Verify()
	for i, name := range changed {
		changed[i] = name + " of the run record"
		s.Logger().Warn("a command changed what the run had written", "file", name)
	}
	if h != nil {
		same, sessionErr := h.Verify(ctx)
		err = errors.Join(err, sessionErr)
		if !same {
			changed = append(changed, "the session "+h.Name())
		}
	}
	return changed, err
}

// fingerprint returns a digest of all that changes what a run does; servers are
// the MCP servers, nil for none.
func (o Options) fingerprint(q request, m model, servers *mcp.Servers) (string, error) {
	e := o.Endpoint
	all := map[string]any{
		"prompt": record.Digest([]byte(q.prompt)), "system": record.Digest([]byte(agent.SystemPrompt(q.task, o.Calls, nil))),
		"tool_calls": o.Calls, "tools": Tools(), "model": m.name, "endpoint": m.endpoint, "api": e.API, "answers": m.digest,
		"policy": q.digest, "allow_tools": o.AllowTools, "deny_tools": o.DenyTools, "on_deny": o.OnDeny,
		"max_steps": o.MaxSteps, "max_tool_calls": o.MaxToolCalls, "max_tokens": o.MaxTokens,
		"timeout": o.Timeout, "tool_timeout": o.ToolTimeout, "provider_timeout": e.Timeout,
		"provider_attempts": e.Attempts, "provider_retry_for": e.RetryFor,
		"header": namesAndValues(e.Header), "query": namesAndValues(e.Query), "request_set": e.Edits.String(),
		"max_tool_output": o.MaxToolOutput, "max_context": o.MaxContext, "pass_env": o.PassEnv,
		"history_window": o.HistoryWindow, "consolidate": o.Consolidate,
		"sandbox": o.Sandbox, "consolidate_threshold": o.ConsolidateThreshold, "consolidate_keep": o.ConsolidateKeep,
		"output_schema": q.schema, "output_attempts": o.OutputAttempts, "output_schema_via": o.OutputVia,
	}
	if o.MaxCost > 0 { // without a limit prices change nothing of what a run does
		all["max_cost"], all["price"] = o.MaxCost, m.price
	}
	// What came later counts where it is given: without it a configuration keeps
	// its fingerprint.
	if e.Parameters != (provider.Parameters{}) {
		all["parameters"] = e.Parameters
	}
	if q.instructions != "" {
		all["instructions"] = record.Digest([]byte(q.instructions))
	}
	if q.servers != nil {
		all["mcp"] = map[string]any{"servers": q.servers.Fingerprint(), "tools": servers.Specs()}
	}
	if q.earlier != nil {
		all["resume"] = q.earlier.Digest
	}
	digest, err := record.Fingerprint(all)
	if err != nil {
		return "", fmt.Errorf("fingerprint of the configuration: %w", err)
	}
	return digest, nil
}

package evidence

import (
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// describe fills in the contract and what the execution tells.
func describe(m *schema.Manifest, e *runner.Execution) {
	m.Versions.Contract = schema.ManifestContract{Version: schema.Version, Revision: schema.Revision, Digest: schema.Digest()}
	m.RunID, m.Command = e.RunID, e.Command
	m.Verdict, m.Reason = string(e.Verdict), e.Reason
	m.ExitStatus = e.ExitStatus
	if e.Signal != "" {
		m.Signal = &e.Signal
	}
	m.Started, m.Ended = e.Started, e.Ended
	m.DurationMS = e.Ended.Sub(e.Started).Milliseconds()
	m.Counts = schema.ManifestCounts{
		Events: e.Events, Steps: e.Steps, ToolCalls: e.ToolCalls, FindingsByRule: e.FindingCounts,
	}
	if s := e.RunStarted; s != nil {
		m.Versions.Agent = agent(s.Agent)
		m.Model, m.Provider = optionalString(s.Model), optionalString(s.Provider)
	}
	if s := e.RunFinished; s != nil {
		reason, _ := clip.Prefix(s.ExitReason, schema.MaxStringBytes)
		m.ExitReason = &reason
		if usage, ok := s.Usage.Get(); ok {
			m.Usage = &usage
		}
	}
}

// agent returns what an agent says of itself, within the bounds of the
// contract, which its stream need not have kept.
func agent(a *schema.Agent) *schema.Agent {
	if a == nil {
		return nil
	}
	name, _ := clip.Prefix(a.Name, schema.MaxStringBytes)
	version, _ := clip.Prefix(a.Version, schema.MaxStringBytes)
	return &schema.Agent{Name: name, Version: version}
}

func optionalString(o schema.Optional[string]) *string {
	s, ok := o.Get()
	if !ok {
		return nil
	}
	s, _ = clip.Prefix(s, schema.MaxStringBytes)
	return &s
}

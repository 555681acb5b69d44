package evidence

import (
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// describe fills in the contract and what the execution says.
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
		Events: e.Events, Steps: e.Steps, ToolCalls: e.ToolCalls, Detected: e.ToolCalls, Executed: e.Executed, Denied: e.Denied, Failed: e.Failed, FindingsByRule: e.FindingCounts,
	}
	if e.Source != nil {
		m.Counts.Denied = e.Source.Denied
	}
	if e.RunStarted != nil {
		s := *e.RunStarted
		schema.Bound(&s) // which the stream need not have kept
		m.Versions.Agent = s.Agent
		if m.Sandbox == nil { // else the harness knows it by itself
			m.Sandbox = s.SandboxStatus
		}
		m.Model, m.Provider, m.ParentRunID = OrNil(s.Model), OrNil(s.Provider), OrNil(s.ParentRunID)
	}
	if s := e.RunFinished; s != nil {
		reason, _ := clip.Prefix(s.ExitReason, schema.MaxStringBytes)
		m.ExitReason = &reason
		if usage, ok := s.Usage.Get(); ok {
			m.Usage = &usage
			m.CostUSD = OrNil(usage.CostUSD)
		}
	}
}

// describeSource fills in what was converted, with the copy of it that is among
// the files.
func describeSource(m *schema.Manifest, e *runner.Execution) {
	if e.Source == nil {
		return
	}
	s := &schema.ManifestSource{Format: e.Source.Agent, Mapping: e.Source.Mapping, Decisions: "observed"}
	if e.Source.Inferred {
		s.Decisions = "inferred"
	}
	for _, file := range m.Files {
		if file.Path == SourceFile {
			s.Bytes, s.SHA256 = &file.Bytes, &file.SHA256
		}
	}
	if a := m.Versions.Agent; a != nil && a.Version != unknownVersion {
		s.AgentVersion = &a.Version
	}
	m.Source = s
}

// unknownVersion is what a converted stream says of an agent whose version
// nobody stated.
const unknownVersion = "unknown"

// OrNil returns the value of an additive member, nil where it has none.
func OrNil[T any](o schema.Optional[T]) *T {
	if v, ok := o.Get(); ok {
		return &v
	}
	return nil
}

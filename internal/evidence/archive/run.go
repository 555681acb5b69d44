package archive

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// runOf returns the row of a run.
func (c *cells) runOf(key string, m schema.Manifest) runRow {
	row := runRow{
		RunKey: key, RunID: c.word(m.RunID), ParentRunID: c.wordOf(m.ParentRunID), Model: c.wordOf(m.Model), Provider: c.wordOf(m.Provider),
		ToolVersion: c.word(m.Versions.Tool.Version), ContractVersion: c.word(m.Versions.Contract.Version),
		ContractRevision: int64(m.Versions.Contract.Revision), ContractDigest: c.word(m.Versions.Contract.Digest),
		Verdict: c.word(m.Verdict), Reason: c.line(m.Reason, maxSentence), ExitReason: c.wordOf(m.ExitReason), Signal: c.wordOf(m.Signal),
		ExitStatus: made(m.ExitStatus, func(n int) int64 { return int64(n) }),
		Ended:      instant(m.Ended), DurationMS: m.DurationMS,
		Events: int64(m.Counts.Events), Steps: int64(m.Counts.Steps), ToolCalls: int64(m.Counts.ToolCalls),
		CostUSD:      made(m.CostUSD, func(usd schema.USD) float64 { return float64(usd) }),
		PolicyDigest: c.wordOf(m.PolicyDigest), PromptSHA256: c.wordOf(m.PromptSHA256),
		EvidenceComplete: m.EvidenceComplete, Texts: !evidence.LacksTexts(m), Files: int64(len(m.Files)),
	}
	if started := instant(m.Started); started != nil {
		row.Started = *started
	}
	for _, n := range m.Counts.FindingsByRule {
		row.Findings += int64(n)
	}
	for _, f := range m.Files {
		row.EvidenceBytes += f.Bytes
	}
	c.describe(&row, m)
	return row
}

// describe sets what stands in parts of the manifest that may be missing.
func (c *cells) describe(row *runRow, m schema.Manifest) {
	if a := m.Versions.Agent; a != nil {
		row.AgentName, row.AgentVersion = c.given(a.Name), c.given(a.Version)
	}
	if s := m.Source; s != nil {
		row.SourceFormat, row.SourceMapping, row.Decisions = c.given(s.Format), c.given(s.Mapping), c.given(s.Decisions)
		if s.AgentVersion != nil {
			row.AgentVersion = c.wordOf(s.AgentVersion)
		}
	}
	if u := m.Usage; u != nil {
		row.InputTokens, row.CachedInputTokens, row.OutputTokens = u.InputTokens, u.CachedInputTokens, u.OutputTokens
		row.ReasoningTokens, row.TotalTokens = evidence.OrNil(u.ReasoningTokens), u.TotalTokens
	}
	if s := m.Sandbox; s != nil {
		row.Sandbox = c.given(s.Level)
	}
	if g := m.Git; g != nil {
		row.GitCommit, row.GitDirty = c.given(g.Commit), &g.Dirty
	}
	if j := m.Job; j != nil {
		row.JobRunID, row.Job, row.JobAttempt, row.JobMatrix = c.given(j.RunID), c.given(j.Job), c.given(j.Attempt), c.given(j.Matrix)
	}
}

// maxFindings bounds findings.json, in bytes.
const maxFindings = 64 << 20

// addFindings writes the rows of findings. Of those about events that a converter does
// not know there is one for each kind, where the stream counts them so.
func (c *cells) addFindings(key string, saved *evidence.Saved, unmapped map[string]int64, out *rows) error {
	var check struct {
		Files []struct {
			Findings []validate.Finding
			Omitted  map[string]int // findings above the limit, by their rule
		}
	}
	f, err := saved.Open(evidence.FindingsFile)
	if err == nil {
		err = json.NewDecoder(io.LimitReader(f, maxFindings)).Decode(&check)
		_ = f.Close()
	}
	if err != nil {
		return err
	}
	counted := map[string]int64{}
	for _, file := range check.Files {
		for rule, n := range file.Omitted {
			counted[rule] += int64(n)
		}
		for _, f := range file.Findings {
			if f.Rule == validate.RuleUnmapped && len(unmapped) > 0 {
				continue
			}
			out.add(tableFindings, findingRow{
				RunKey: key, Rule: c.word(f.Rule), Severity: c.given(string(f.Severity)), Line: new(int64(f.Line)),
				Message: new(c.line(f.Sentence(), maxSentence)), Count: 1,
			})
		}
	}
	if len(unmapped) > 0 {
		delete(counted, validate.RuleUnmapped)
	}
	for _, rule := range slices.Sorted(maps.Keys(counted)) {
		out.add(tableFindings, findingRow{RunKey: key, Rule: c.word(rule), Count: counted[rule]})
	}
	for _, kind := range slices.Sorted(maps.Keys(unmapped)) {
		out.add(tableFindings, findingRow{
			RunKey: key, Rule: validate.RuleUnmapped, Severity: new(string(validate.SeverityWarning)), Subject: new(c.word(kind)),
			Message: new(fmt.Sprintf("the conversion left out %d events of this kind", unmapped[kind])), Count: unmapped[kind],
		})
	}
	return nil
}

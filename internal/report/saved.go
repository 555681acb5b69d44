package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// SavedVerdict is Verdict for a run of which the manifest is left. found are the
// findings that are left in full.
func SavedVerdict(m schema.Manifest, noTexts bool, found []string) term.Verdict {
	total := 0
	for _, n := range m.Counts.FindingsByRule {
		total += n
	}
	listed := found[:min(len(found), maxListed)]
	return term.Verdict{Name: Heading(m.Verdict, m.EvidenceComplete), Reason: m.Reason, Rows: savedRows(m, noTexts), Findings: listed, More: max(total, len(found)) - len(listed)}
}

// maxSavedFindings bounds what is read of saved findings, in bytes.
const maxSavedFindings = 1 << 20

// SavedFindings returns the findings that a findings.json lists, one line each; none
// where it cannot be read.
func SavedFindings(r io.Reader) (list []string) {
	var check struct{ Files []CheckFile }
	if json.NewDecoder(io.LimitReader(r, maxSavedFindings)).Decode(&check) != nil {
		return nil
	}
	for _, file := range check.Files {
		for _, f := range file.Findings {
			list = append(list, f.String())
		}
	}
	return list
}

func savedRows(m schema.Manifest, noTexts bool) []term.Row {
	rows := []term.Row{{Name: "run", Value: m.RunID}}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, term.Row{Name: name, Value: value})
		}
	}
	if a := m.Versions.Agent; a != nil {
		add("agent", a.Name+" "+a.Version)
	}
	if m.Model != nil {
		add("model", *m.Model)
	}
	add("command", strings.Join(m.Command, " "))
	add("sandbox", SandboxText(m.Sandbox))
	if m.Git != nil {
		add("commit", m.Git.Commit)
	}
	if m.ExitReason != nil {
		add("exit reason", *m.ExitReason)
	}
	switch {
	case m.Signal != nil:
		add("exit status", "ended by "+*m.Signal)
	case m.ExitStatus != nil:
		add("exit status", fmt.Sprint(*m.ExitStatus))
	}
	add("steps", fmt.Sprint(m.Counts.Steps))
	add("tool calls", calls(m.Counts.ToolCalls, m.Counts.Denied, m.Counts.Failed))
	if u := m.Usage; u != nil {
		add("tokens", count(u.InputTokens)+" in, "+count(u.OutputTokens)+" out")
	}
	if m.CostUSD != nil {
		add("cost", term.Dollars(float64(*m.CostUSD)))
	}
	add("started", m.Started.Format(time.RFC3339))
	add("time", duration(time.Duration(m.DurationMS)*time.Millisecond, len(m.Command) > 0 || m.ExitReason != nil))
	add("findings", findings(&runner.Execution{FindingCounts: m.Counts.FindingsByRule}))
	if noTexts {
		rows = append(rows, textsRow)
	}
	if !m.EvidenceComplete {
		add("not complete", strings.Join(m.Lost, "; "))
	}
	return rows
}

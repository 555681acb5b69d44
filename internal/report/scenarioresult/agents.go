package scenarioresult

import (
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
)

// agentsGrid is what scripts came to that ran once per agent.
type agentsGrid struct {
	agents, names []string
	words         map[string]string // by label; none of one that did not run
	// reasons say why agents were skipped, each once.
	reasons []string
}

// newAgentsGrid returns the results that have an agent, nil when none has.
func newAgentsGrid(t Totals) *agentsGrid {
	g := &agentsGrid{words: map[string]string{}}
	words := map[string]string{Passed: "ok", Failed: "FAIL", Skipped: "skipped", Flaky: "flaky"}
	for _, s := range t.Scripts {
		if s.Agent == "" {
			continue
		}
		g.agents, g.names = including(g.agents, s.Agent), including(g.names, s.Name)
		g.words[s.Label()] = words[s.Outcome]
		if s.Outcome == Skipped {
			g.reasons = including(g.reasons, s.Agent+" "+s.skipped())
		}
	}
	if g.agents == nil {
		return nil
	}
	return g
}

func including(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// row returns what a script came to, by agent.
func (g *agentsGrid) row(name string) []string {
	row := make([]string, len(g.agents))
	for i, agent := range g.agents {
		row[i] = g.words[Label(name, agent)]
	}
	return row
}

// agentsBlocks are a table of scripts by agents, and why agents were skipped; nil where
// no script ran with one.
func agentsBlocks(t Totals) []document.Block {
	g := newAgentsGrid(t)
	if g == nil {
		return nil
	}
	table := document.Table{Name: "Scripts by agent", Head: append([]string{"script"}, g.agents...)}
	for _, name := range g.names[:min(len(g.names), maxGrid)] {
		table.Rows = append(table.Rows, append([]string{name}, g.row(name)...))
	}
	return []document.Block{table, document.Text{Text: strings.Join(g.reasons[:min(len(g.reasons), report.MaxSummaryItems)], "\n")}}
}

// maxGrid bounds the rows of the table.
const maxGrid = 1000

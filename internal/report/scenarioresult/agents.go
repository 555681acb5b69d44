package scenarioresult

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
)

// agentsGrid is what scripts came to that ran once per agent or model.
type agentsGrid struct {
	// columns are the agents and models.
	columns, names []string
	words          map[[2]string]string // by name and column; none of one that did not run
	// reasons say why agents were skipped, each once.
	reasons []string
}

// newAgentsGrid returns the results that have an agent or a model, nil when none has.
func newAgentsGrid(t Totals) *agentsGrid {
	g := &agentsGrid{words: map[[2]string]string{}}
	words := map[string]string{Passed: "ok", Failed: "FAIL", Skipped: "skipped", Flaky: "flaky"}
	for _, s := range t.Scripts {
		column := strings.TrimPrefix(strings.TrimPrefix(s.Label(), s.Name), "/")
		if column == "" {
			continue
		}
		g.columns, g.names = including(g.columns, column), including(g.names, s.Name)
		g.words[[2]string{s.Name, column}] = words[s.Outcome]
		if len(s.Attempts) > 1 {
			g.words[[2]string{s.Name, column}] += fmt.Sprintf(" %d/%d", s.Passes(), len(s.Attempts))
		}
		if s.Outcome == Skipped {
			g.reasons = including(g.reasons, column+" "+s.skipped())
		}
	}
	if g.columns == nil {
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

// row returns what a script came to, by column.
func (g *agentsGrid) row(name string) []string {
	row := make([]string, len(g.columns))
	for i, column := range g.columns {
		row[i] = g.words[[2]string{name, column}]
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
	table := document.Table{Name: "Scripts by agent", Head: append([]string{"script"}, g.columns...)}
	for _, name := range g.names[:min(len(g.names), maxGrid)] {
		table.Rows = append(table.Rows, append([]string{name}, g.row(name)...))
	}
	return []document.Block{table, document.Text{Text: strings.Join(g.reasons[:min(len(g.reasons), report.MaxSummaryItems)], "\n")}}
}

// maxGrid bounds the rows of the table.
const maxGrid = 1000

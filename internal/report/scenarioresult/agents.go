package scenarioresult

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
)

// agentsBlocks are a table of scripts by agents and models, and why agents were skipped,
// each once; nil where no script ran with one.
func agentsBlocks(t Totals) []document.Block {
	var columns, names, reasons []string
	cells := map[[2]string]string{} // by name and column; none of one that did not run
	words := map[string]string{Passed: "ok", Failed: "FAIL", Skipped: "skipped", Flaky: "flaky"}
	for _, s := range t.Scripts {
		column := strings.TrimPrefix(strings.TrimPrefix(s.Label(), s.Name), "/")
		if column == "" {
			continue
		}
		columns, names = including(columns, column), including(names, s.Name)
		cell := words[s.Outcome]
		if len(s.Attempts) > 1 {
			cell += fmt.Sprintf(" %d/%d", s.Passes(), len(s.Attempts))
		}
		cells[[2]string{s.Name, column}] = cell
		if s.Outcome == Skipped {
			reasons = including(reasons, column+" "+s.skipped())
		}
	}
	if columns == nil {
		return nil
	}
	table := document.Table{Name: "Scripts by agent", Head: append([]string{"script"}, columns...)}
	for _, name := range names[:min(len(names), maxGrid)] {
		row := []string{name}
		for _, column := range columns {
			row = append(row, cells[[2]string{name, column}])
		}
		table.Rows = append(table.Rows, row)
	}
	return []document.Block{table, document.Text{Text: strings.Join(reasons[:min(len(reasons), report.MaxSummaryItems)], "\n")}}
}

func including(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// maxGrid bounds the rows of the table.
const maxGrid = 1000

package scenarioresult

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// Comparison is how results differ from those of an earlier run.
type Comparison struct {
	Rows []ComparisonRow
	// New and Gone are the ids of scenarios that only one of the runs has.
	New, Gone []string
	// Skipped are the ids of those that passed then and are skipped now.
	Skipped []string
}

// ComparisonRow is one figure of a scenario, before and now.
type ComparisonRow struct {
	ID, What, Old, New, Difference string
	// Worse says that the figure must not be so much worse.
	Worse bool
}

// worse returns the rows that fail the whole.
func (c *Comparison) worse() (rows []ComparisonRow) {
	if c == nil {
		return nil
	}
	for _, r := range c.Rows {
		if r.Worse {
			rows = append(rows, r)
		}
	}
	return rows
}

func (r ComparisonRow) String() string {
	return fmt.Sprintf("%s was %s in the baseline and is %s now (%s)", r.What, r.Old, r.New, r.Difference)
}

// Masked returns the comparison with its ids through mask; the rest are figures.
func (c *Comparison) Masked(mask func(string) string) *Comparison {
	if c == nil {
		return nil
	}
	m := Comparison{Rows: slices.Clone(c.Rows), New: slices.Clone(c.New), Gone: slices.Clone(c.Gone), Skipped: slices.Clone(c.Skipped)}
	for i := range m.Rows {
		m.Rows[i].ID = mask(m.Rows[i].ID)
	}
	for _, ids := range [][]string{m.New, m.Gone, m.Skipped} {
		for i := range ids {
			ids[i] = mask(ids[i])
		}
	}
	return &m
}

// Blocks are one table with what changed, what is worse first, in few columns for narrow
// screens, and the names of scenarios that only one run has.
func (c *Comparison) Blocks() []document.Block {
	if c == nil {
		return nil
	}
	table := document.Table{Name: "Compared with the baseline", Head: []string{"script", "figure", "change"}}
	for _, worse := range []bool{true, false} {
		for _, r := range c.Rows {
			if r.Worse == worse && len(table.Rows) < report.MaxSummaryItems {
				what := r.What
				if worse {
					what += ": worse"
				}
				table.Rows = append(table.Rows, []string{r.ID, what, strings.TrimSuffix(fmt.Sprintf("%s -> %s, %s", r.Old, r.New, r.Difference), ", ")})
			}
		}
	}
	blocks := []document.Block{table}
	if more := len(c.Rows) - len(table.Rows); more > 0 {
		blocks = append(blocks, document.Text{Text: fmt.Sprintf("and %d more.", more)})
	}
	for _, list := range []struct {
		title string
		ids   []string
	}{{"Not in the baseline", c.New}, {"Only in the baseline", c.Gone}, {"Skipped now", c.Skipped}} {
		if len(list.ids) > 0 {
			blocks = append(blocks, document.Text{Text: term.OneLine(list.title+": "+strings.Join(list.ids, ", "), report.MaxFinding)})
		}
	}
	return blocks
}

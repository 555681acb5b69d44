package scenarioresult

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/text/term"
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

// agentsTable returns a table for people of scripts by agents, empty where no script
// ran with one.
func agentsTable(t Totals) string {
	g := newAgentsGrid(t)
	if g == nil {
		return ""
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "script\t%s\n", strings.Join(g.agents, "\t"))
	for _, name := range g.names {
		fmt.Fprintf(w, "%s\t%s\n", term.OneLine(name, report.MaxFinding), strings.Join(g.row(name), "\t"))
	}
	w.Flush() // to memory: never fails
	for _, reason := range g.reasons {
		fmt.Fprintf(&b, "%s\n", term.OneLine(reason, report.MaxFinding))
	}
	return b.String()
}

// agentsMarkdown returns the same for the job page.
func agentsMarkdown(t Totals) string {
	g := newAgentsGrid(t)
	if g == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| script | %s |\n|%s\n", strings.Join(g.agents, " | "), strings.Repeat(" --- |", len(g.agents)+1))
	for _, name := range g.names[:min(len(g.names), report.MaxSummaryItems)] {
		fmt.Fprintf(&b, "| %s | %s |\n", report.Cell(name), strings.Join(g.row(name), " | "))
	}
	for _, reason := range g.reasons[:min(len(g.reasons), report.MaxSummaryItems)] {
		fmt.Fprintf(&b, "\n%s\n", report.Code(reason))
	}
	return b.String() + "\n"
}

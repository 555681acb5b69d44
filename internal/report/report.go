// Package report writes the verdict table, the Markdown summary, the findings of a
// check and the differences between streams.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxListed bounds the findings listed under a verdict in a terminal;
// findings.json has more of them.
const maxListed = 5

// Verdict returns what e came to as the terminal shows it. evidence is where
// the evidence lies, empty when there is none.
func Verdict(e *runner.Execution, evidence string) term.Verdict {
	v := term.Verdict{Name: string(e.Verdict), Reason: e.Reason, Rows: rows(e)}
	if evidence != "" {
		v.Rows = append(v.Rows, term.Row{Name: "evidence", Value: evidence})
	}
	v.Next = next(e, evidence)
	listed := worst(e.Findings, maxListed)
	for _, f := range listed {
		v.Findings = append(v.Findings, findingLine(f))
	}
	v.More = max(e.TotalFindings(), len(e.Findings)) - len(listed)
	return v
}

// rows are the facts that every reader of a run is shown, in this order.
func rows(e *runner.Execution) []term.Row {
	facts := []term.Row{
		{Name: "exit reason", Value: "none, the stream has no run_finished"},
		{Name: "exit status", Value: exitStatus(e)},
		{Name: "steps", Value: fmt.Sprint(e.Steps)},
		{Name: "tool calls", Value: calls(e.ToolCalls, e.Denied, e.Failed)},
		{Name: "tokens", Value: tokens(e)},
		{Name: "time", Value: duration(e.Ended.Sub(e.Started), len(e.Command) > 0 || e.StartError != "" || e.Finished())},
		{Name: "findings", Value: findings(e)},
	}
	if e.Finished() {
		facts[0].Value = e.RunFinished.ExitReason
	}
	if usd := cost(e); usd != nil {
		facts = slices.Insert(facts, 5, term.Row{Name: "cost", Value: term.Dollars(*usd)})
	}
	if at := unfinished(e); at != "" {
		facts = slices.Insert(facts, 2, term.Row{Name: "ended in", Value: at})
	}
	switch left := "left behind"; {
	case e.Swept == 1:
		facts = append(facts, term.Row{Name: left, Value: "1 process, killed"})
	case e.Swept > 1:
		facts = append(facts, term.Row{Name: left, Value: fmt.Sprintf("%d processes, killed", e.Swept)})
	}
	return facts
}

// calls says how many tool calls there were, and what became of those that did not go
// well.
func calls(all, denied, failed int) string {
	var parts []string
	if denied > 0 {
		parts = append(parts, fmt.Sprint(denied, " denied"))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprint(failed, " failed"))
	}
	if parts == nil {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d (%s)", all, strings.Join(parts, ", "))
}

// duration says how long a run took, which is unknown for a saved stream without an end.
func duration(d time.Duration, known bool) string {
	if !known {
		return "not known"
	}
	return Duration(d)
}

func exitStatus(e *runner.Execution) string {
	switch {
	case e.StartError != "":
		return "not started"
	case e.Signal != "":
		return "ended by " + e.Signal
	case e.ExitStatus != nil:
		return fmt.Sprint(*e.ExitStatus)
	}
	return "unknown"
}

func tokens(e *runner.Execution) string {
	const unknown = "not reported"
	if !e.Finished() {
		return unknown
	}
	u, ok := e.RunFinished.Usage.Get()
	if !ok || u.InputTokens == nil && u.OutputTokens == nil {
		return unknown
	}
	return count(u.InputTokens) + " in, " + count(u.OutputTokens) + " out"
}

// cost returns what a run cost in US dollars, nil where that is not known.
func cost(e *runner.Execution) *float64 {
	if !e.Finished() {
		return nil
	}
	u, _ := e.RunFinished.Usage.Get()
	usd, ok := u.CostUSD.Get()
	if !ok || !usd.Valid() {
		return nil
	}
	return new(float64(usd))
}

func count(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// Duration returns a time as reports show it.
func Duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// findings counts all findings, then by rule, the most frequent first.
func findings(e *runner.Execution) string {
	n := e.TotalFindings()
	if n == 0 {
		return "none"
	}
	rules := slices.SortedFunc(maps.Keys(e.FindingCounts), func(a, b string) int {
		return cmp.Or(e.FindingCounts[b]-e.FindingCounts[a], strings.Compare(a, b))
	})
	for i, rule := range rules {
		rules[i] = fmt.Sprintf("%s %d", rule, e.FindingCounts[rule])
	}
	return fmt.Sprintf("%d: %s", n, strings.Join(rules, ", "))
}

// worst returns at most n of the findings, errors first.
func worst(findings []validate.Finding, n int) []validate.Finding {
	sorted := slices.Clone(findings)
	validate.SortWorstFirst(sorted)
	return sorted[:min(n, len(sorted))]
}

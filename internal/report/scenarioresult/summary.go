package scenarioresult

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/document"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

// maxScriptLog bounds the log of one script in a summary; the reports have the
// rest. So many of them fit into a summary.
const maxScriptLog = 12 << 10

// Write writes what running scripts came to in one of the forms of
// Forms, by its name, as a whole.
func Write(w io.Writer, form string, t Totals) error {
	f := FormOf(form)
	for _, s := range t.Scripts {
		if f.Each == nil {
			break
		}
		if err := f.Each(w, s); err != nil {
			return err
		}
	}
	return f.Done(w, t)
}

// WriteSummary writes what running scripts came to as Markdown for the
// job page: a table with the failed scripts first, and of each the end of its
// log.
func WriteSummary(w io.Writer, v runner.Verdict, t Totals, u report.Upload) error {
	tone := document.Bad
	if v == runner.VerdictSuccess {
		tone = document.Good
	}
	blocks := []document.Block{
		document.Title{Level: 1, Tone: tone, Text: fmt.Sprintf("openagent %s: %s", t.command(), v)},
		document.Text{Text: fmt.Sprintf("%s, in %s.", countScripts(t), report.Duration(t.Time))},
		document.Facts(u.Rows()),
	}
	blocks = append(append(blocks, faultBlocks(t.Faults)...), agentsBlocks(t)...)
	blocks = append(blocks, t.Comparison.Blocks()...)
	ordered := failedFirst(t.Scripts)
	listed := ordered[:min(report.MaxSummaryItems, len(ordered))]
	table := document.Table{Name: "Scripts", Head: []string{"script", "outcome", "time", "file"}}
	var logs []document.Block
	for _, s := range listed {
		outcome := s.Outcome
		if tries := s.tries(); tries != "" {
			outcome += " (" + tries + ")"
		}
		table.Rows = append(table.Rows, []string{s.Label(), outcome, report.Duration(s.Time), s.File})
		if s.Outcome == Failed || s.Outcome == Flaky {
			logs = append(logs, logBlocks(s)...)
		}
	}
	blocks = append(blocks, table)
	if more := len(ordered) - len(listed); more > 0 {
		blocks = append(blocks, document.Text{Text: fmt.Sprintf("and %d more.", more)})
	}
	_, err := io.WriteString(w, document.Markdown(append(blocks, logs...)...))
	return err
}

// failedFirst returns the scripts by outcome, otherwise in order.
func failedFirst(scripts []Script) []Script {
	ranks := map[string]int{Failed: 0, Flaky: 1, Skipped: 2, Passed: 3}
	rank := func(s Script) int {
		if s.Fails() {
			return 0
		}
		return ranks[s.Outcome]
	}
	ordered := slices.Clone(scripts)
	slices.SortStableFunc(ordered, func(a, b Script) int { return cmp.Compare(rank(a), rank(b)) })
	return ordered
}

// faultBlocks say why the results are not whole.
func faultBlocks(faults []Fault) []document.Block {
	if len(faults) == 0 {
		return nil
	}
	var list document.List
	for i, f := range faults {
		if i == report.MaxSummaryItems {
			list = append(list, fmt.Sprintf("and %d more", len(faults)-i))
			break
		}
		list = append(list, f.File+": "+f.Message)
	}
	return []document.Block{document.Text{Text: "The results are not those of all that was planned:"}, list}
}

// logBlocks are the end of a log, where it says what failed.
func logBlocks(s Script) []document.Block {
	lines := term.Clean(s.Log)
	room, first := maxScriptLog, len(lines)
	for first > 0 && len(lines[first-1]) < room {
		first--
		room -= len(lines[first]) + 1
	}
	if first == len(lines) && first > 0 { // one line is longer than all the room
		first--
		lines[first] = term.OneLine(lines[first], maxLogLine)
	}
	blocks := []document.Block{document.Title{Level: 2, Text: s.Label()}}
	if first > 0 {
		blocks = append(blocks, document.Text{Text: fmt.Sprintf("The last %d of %d lines:", len(lines)-first, len(lines))})
	}
	return append(blocks, document.Fence{Lang: "text", Text: strings.Join(lines[first:], "\n")})
}

func failure(s Script) (line int, message string) { return report.Failure(s.File, s.Log) }

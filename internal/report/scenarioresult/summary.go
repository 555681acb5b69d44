package scenarioresult

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
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
// log. The bounds and the promise about markup are those of WriteSummary.
func WriteSummary(w io.Writer, v runner.Verdict, t Totals, u report.Upload) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s openagent %s: %s\n\n", report.Sign(v), t.command(), report.VerdictWord(v))
	fmt.Fprintf(&b, "%s, in %s.\n\n", countScripts(t), report.Duration(t.Time))
	if rows := u.Rows(); rows != nil {
		report.WriteRows(&b, rows)
	}
	writeFaults(&b, t.Faults)
	b.WriteString(agentsMarkdown(t))
	ordered := failedFirst(t.Scripts)
	listed := ordered[:min(report.MaxSummaryItems, len(ordered))]
	if len(listed) > 0 {
		b.WriteString("| script | outcome | time | file |\n| --- | --- | ---: | --- |\n")
	}
	for _, s := range listed {
		outcome := s.Outcome
		if tries := s.tries(); tries != "" {
			outcome += " (" + tries + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", report.Cell(s.Label()), outcome, report.Duration(s.Time), report.Cell(s.File))
	}
	if more := len(ordered) - len(listed); more > 0 {
		fmt.Fprintf(&b, "\nand %d more.\n", more)
	}
	for _, s := range listed {
		if s.Outcome == Failed || s.Outcome == Flaky {
			writeScriptLog(&b, s)
		}
	}
	_, err := io.WriteString(w, b.String())
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

// writeFaults lists why the results are not whole.
func writeFaults(b *strings.Builder, faults []Fault) {
	if len(faults) == 0 {
		return
	}
	b.WriteString("**The results are not those of all that was planned:**\n\n")
	for i, f := range faults {
		if i == report.MaxSummaryItems {
			fmt.Fprintf(b, "\nand %d more.\n", len(faults)-i)
			break
		}
		fmt.Fprintf(b, "- %s: %s\n", report.Code(f.File), report.Code(f.Message))
	}
	b.WriteString("\n")
}

// writeScriptLog writes the end of a log, where it says what failed.
func writeScriptLog(b *strings.Builder, s Script) {
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
	text, fence := report.Fenced(strings.Join(lines[first:], "\n"), maxLogLine)
	fmt.Fprintf(b, "\n### %s\n\n", report.Code(s.Label()))
	if first > 0 {
		fmt.Fprintf(b, "The last %d of %d lines:\n\n", len(lines)-first, len(lines))
	}
	fmt.Fprintf(b, "%stext\n%s\n%s\n", fence, text, fence)
}

// failure returns what a log says last about its script, with the line of the
// script, or 0 where it names none. What the script printed can look alike, but
// comes before.
func failure(s Script) (line int, message string) {
	at := strings.LastIndex("\n"+s.Log, "\nFAIL: "+s.File+":")
	if at < 0 {
		return 0, ""
	}
	rest := s.Log[at+len("FAIL: "+s.File+":"):]
	if number, text, ok := strings.Cut(rest, ":"); ok {
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			line, rest = n, text
		}
	}
	return line, strings.TrimSpace(rest)
}

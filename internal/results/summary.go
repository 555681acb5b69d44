package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxScriptLog bounds the log of one script in a summary; the reports have the
// rest. So many of them fit into a summary.
const maxScriptLog = 12 << 10

// Write writes what running scripts came to in one of the forms of
// Forms, by its name, as a whole.
func Write(w io.Writer, form string, t Totals) error {
	for _, r := range Forms() {
		if r.Name != form {
			continue
		}
		for _, s := range t.Scripts {
			if r.Each == nil {
				break
			}
			if err := r.Each(w, s); err != nil {
				return err
			}
		}
		return r.Done(w, t)
	}
	panic("no such form: " + form)
}

// WriteSummary writes what running scripts came to as Markdown for the
// job page: a table with the failed scripts first, and of each the end of its
// log. The bounds and the promise about markup are those of WriteSummary.
func WriteSummary(w io.Writer, v runner.Verdict, t Totals, u report.Upload) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s openagent test: %s\n\n", report.Sign(v), report.VerdictWord(v))
	fmt.Fprintf(&b, "%s, in %s.\n\n", countScripts(t), report.Duration(t.Time))
	if rows := u.Rows(); rows != nil {
		report.WriteRows(&b, rows)
	}
	b.WriteString(agentsMarkdown(t))
	ordered := failedFirst(t.Scripts)
	listed := ordered[:min(report.MaxSummaryItems, len(ordered))]
	if len(listed) > 0 {
		b.WriteString("| script | outcome | time | file |\n| --- | --- | ---: | --- |\n")
	}
	for _, s := range listed {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", report.Cell(s.Label()), s.Outcome, report.Duration(s.Time), report.Cell(s.File))
	}
	if more := len(ordered) - len(listed); more > 0 {
		fmt.Fprintf(&b, "\nand %d more.\n", more)
	}
	for _, s := range listed {
		if s.Outcome == Failed {
			writeScriptLog(&b, s)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// failedFirst returns the scripts by outcome, otherwise in order.
func failedFirst(scripts []Script) []Script {
	rank := map[string]int{Failed: 0, Skipped: 1, Passed: 2}
	ordered := slices.Clone(scripts)
	slices.SortStableFunc(ordered, func(a, b Script) int { return cmp.Compare(rank[a.Outcome], rank[b.Outcome]) })
	return ordered
}

// writeScriptLog writes the end of a log, where it says what failed.
func writeScriptLog(b *strings.Builder, s Script) {
	lines := view.Clean(s.Log)
	room, first := maxScriptLog, len(lines)
	for first > 0 && len(lines[first-1]) < room {
		first--
		room -= len(lines[first]) + 1
	}
	if first == len(lines) && first > 0 { // one line is longer than all the room
		first--
		lines[first] = view.OneLine(lines[first], maxLogLine)
	}
	text, fence := report.Fenced(strings.Join(lines[first:], "\n"), maxLogLine)
	fmt.Fprintf(b, "\n### %s\n\n", report.Code(s.Label()))
	if first > 0 {
		fmt.Fprintf(b, "The last %d of %d lines:\n\n", len(lines)-first, len(lines))
	}
	fmt.Fprintf(b, "%stext\n%s\n%s\n", fence, text, fence)
}

// Findings returns a finding for each script that failed, with the line
// of the script that failed where its log tells.
func Findings(t Totals) []validate.Finding {
	var list []validate.Finding
	for _, s := range t.Scripts {
		if s.Outcome != Failed {
			continue
		}
		f := validate.Finding{Rule: "openagent test " + s.Label(), Severity: validate.SeverityError, File: s.File, Message: "the script failed"}
		if line, message := failure(s); message != "" {
			f.Line, f.Message = line, message
		}
		list = append(list, f)
	}
	return list
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

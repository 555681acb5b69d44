package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/runner"
)

// Bounds of a summary. The job page of GitHub takes 1 MiB and shows nothing
// of a summary above it.
const (
	MaxSummaryBytes  = 900 << 10
	MaxSummaryItems  = 50
	maxSummaryText   = 240 // characters of one text in a table
	maxSentence      = 1000
	finalOutputSpare = 256 // what stands around the final output
)

// Summary is what a summary is made of.
type Summary struct {
	Exec *runner.Execution
	About
	// WayOut says what to do about the verdict, empty where that is not known.
	WayOut string
	// Stderr is the end of the agent's stderr, redacted.
	Stderr string
	// FinalOutput is the agent's last text, as whole as it is known.
	FinalOutput string
	// LeftOut counts the artifacts that were not kept.
	LeftOut int
	// Lost lists the parts of the evidence that are not whole.
	Lost []string
	// Changes are those since another run, nil when it was compared with none.
	Changes *diff.Diff
	// Evidence is where the evidence lies, empty when that says nothing to
	// the summary's reader.
	Evidence string
}

// WriteSummary writes a run as Markdown for the job page: verdict, facts,
// prompt, the agent's last words, findings, a time line where it is readable, and the final output. It is at
// most MaxSummaryBytes long, and no text of an agent in it becomes a link, an
// image, a mention or any other markup.
func WriteSummary(w io.Writer, s Summary) error {
	var b strings.Builder
	sign, heading := Sign(s.Exec.Verdict), Heading(VerdictWord(s.Exec.Verdict), len(s.Lost) == 0)
	if len(s.Lost) > 0 {
		sign = Sign("")
	}
	fmt.Fprintf(&b, "## %s openagent: %s\n\n", sign, heading)
	if s.Exec.Reason != "" {
		fmt.Fprintf(&b, "%s\n\n", span(s.Exec.Reason, maxSentence))
	}
	if text := unsaid(s.Exec); text != "" {
		fmt.Fprintf(&b, "The agent's error: %s\n\n", span(text, maxSentence))
	}
	if s.WayOut != "" {
		fmt.Fprintf(&b, "Way out: %s\n\n", span(s.WayOut, maxSentence))
	}
	if len(s.Lost) > 0 {
		b.WriteString("**The evidence is not complete:**\n\n")
		for _, what := range s.Lost {
			fmt.Fprintf(&b, "- %s\n", Code(what))
		}
		b.WriteString("\n")
	}
	writeFacts(&b, s)
	writeFenced(&b, "Prompt", promptHead(s.Prompt))
	writeFenced(&b, "Last lines of standard error", LastWords(s.Exec, s.Stderr, maxStderr))
	writeFindings(&b, s.Exec)
	if s.Changes != nil {
		writeDiffMarkdown(&b, *s.Changes)
	}
	writeGantt(&b, s.Exec.Timeline)
	writeFinalOutput(&b, s.FinalOutput)
	_, err := io.WriteString(w, b.String())
	return err
}

// unsaid returns the error that the agent reports, unless the reason of the verdict
// has all of it.
func unsaid(e *runner.Execution) string {
	if !e.Finished() || e.RunFinished.Error == nil {
		return ""
	}
	text := term.OneLine(*e.RunFinished.Error, maxSentence)
	if strings.Contains(term.OneLine(e.Reason, maxSentence), text) {
		return ""
	}
	return text
}

// Heading returns what stands for a verdict in a heading: evidence that is not complete
// proves none.
func Heading(verdict string, complete bool) string {
	if complete {
		return verdict
	}
	return verdict + ", evidence not complete"
}

// VerdictWord returns a verdict as people read it.
func VerdictWord(v runner.Verdict) string {
	return strings.ReplaceAll(string(v), "_", " ")
}

func writeFacts(b *strings.Builder, s Summary) {
	facts := append(s.About.rows(s.Exec.RunStarted), rows(s.Exec)...)
	if s.LeftOut > 0 {
		facts = append(facts, term.Row{Name: "left out", Value: term.Counted(s.LeftOut, "artifact") + ", listed in manifest.json"})
	}
	if s.Evidence != "" {
		facts = append(facts, term.Row{Name: "evidence", Value: s.Evidence})
	}
	WriteRows(b, append(facts, s.Upload.Rows()...))
}

// LeftOut returns the end of a summary that says what was left out once it was written.
func LeftOut(what string) string {
	return fmt.Sprintf("\n**Left out:** %s\n", span(what, maxSentence))
}

// WriteRows writes rows as a table without a head.
func WriteRows(b *strings.Builder, rows []term.Row) {
	b.WriteString("| | |\n| --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", r.Name, Cell(r.Value))
	}
	b.WriteByte('\n')
}

func writeFindings(b *strings.Builder, e *runner.Execution) {
	if len(e.Findings) == 0 {
		return
	}
	listed := worst(e.Findings, MaxSummaryItems)
	b.WriteString("### Findings\n\n| line | rule | severity | finding |\n| ---: | --- | --- | --- |\n")
	for _, f := range listed {
		place := "stream"
		if f.Line > 0 {
			place = fmt.Sprint(f.Line)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", place, Cell(f.Rule), f.Severity, Cell(f.Sentence()))
	}
	if more := max(e.TotalFindings(), len(e.Findings)) - len(listed); more > 0 {
		fmt.Fprintf(b, "\nand %d more.\n", more)
	}
	b.WriteByte('\n')
}

// Fenced returns text with a fence that nothing in it can close. Where one of
// that length would not fit into room twice, the backticks of the text go.
func Fenced(text string, room int) (lines, fence string) {
	fence = strings.Repeat("`", max(3, longestRun(text, '`')+1))
	if 2*len(fence) > room {
		return strings.ReplaceAll(text, "`", "'"), "```"
	}
	return text, fence
}

// writeFinalOutput writes text in a fence that nothing in it can close, cut to
// what is left of the summary's size.
func writeFinalOutput(b *strings.Builder, text string) {
	lines := strings.Join(term.Clean(text), "\n")
	if strings.TrimSpace(lines) == "" {
		return
	}
	lines, fence := Fenced(lines, MaxSummaryBytes-b.Len()-finalOutputSpare)
	head, cut := clip.Prefix(lines, MaxSummaryBytes-b.Len()-finalOutputSpare-2*len(fence))
	fmt.Fprintf(b, "### Final output\n\n%stext\n%s\n%s\n", fence, head, fence)
	if cut {
		fmt.Fprintf(b, "\nThe first %d of %d bytes; final_output.md has the rest.\n", len(head), len(lines))
	}
}

package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/report/diff"
)

// WriteDiffMarkdown writes a diff as Markdown for a job page. No text of an agent in
// it becomes a link, an image, a mention or any other markup.
func WriteDiffMarkdown(w io.Writer, d diff.Diff) error {
	var b strings.Builder
	writeDiffMarkdown(&b, d)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeDiffMarkdown(b *strings.Builder, d diff.Diff) {
	mark := "✅"
	if len(d.Failed) > 0 {
		mark = "❌"
	}
	fmt.Fprintf(b, "## %s openagent diff: %s\n\n", mark, diffTitle(d))
	for _, f := range d.Failed {
		fmt.Fprintf(b, "- fails: %s %s\n", f.Name, Code(f.Why))
	}
	for _, side := range []diff.Side{d.Base, d.Head} {
		for _, note := range side.Notes {
			fmt.Fprintf(b, "- %s: %s\n", Code(side.Name), Code(note))
		}
	}
	if strings.HasSuffix(b.String(), "`\n") {
		b.WriteByte('\n')
	}
	b.WriteString("| | base | head |\n| --- | --- | --- |\n")
	row := func(name, was, is string) { fmt.Fprintf(b, "| %s | %s | %s |\n", name, Cell(was), Cell(is)) }
	row("run", d.Base.Name, d.Head.Name)
	row("", sideText(d.Base), sideText(d.Head))
	for _, f := range sideFacts(d) {
		was, is := diff.TruncateAroundDifference(f.was, f.is, maxSummaryText)
		row(f.name, was, is)
	}
	for _, f := range d.Figures {
		if f.Changed() {
			row(figureWord(f.Name), figureValue(f.Name, f.Base), figureValue(f.Name, f.Head)+growth(f))
		}
	}
	b.WriteByte('\n')
	writeDiffCalls(b, d)
	writeDiffLines(b, "Files", markedFiles(d.Files), d.Files.More)
	if d.Final.Changed {
		lines := d.Final.Lines
		if len(lines) == 0 {
			lines = []string{notShown}
		}
		writeDiffLines(b, fmt.Sprintf("Final text, %d → %d bytes", d.Final.BaseBytes, d.Final.HeadBytes), lines, d.Final.More)
	}
}

func writeDiffCalls(b *strings.Builder, d diff.Diff) {
	if len(d.Calls) == 0 {
		return
	}
	fmt.Fprintf(b, "### Calls: %s\n\n| base | head | what | call | was | is |\n| ---: | ---: | --- | --- | --- | --- |\n", countChanges(d, ""))
	listed := d.Calls[:min(len(d.Calls), maxDiffCalls)]
	for _, c := range listed {
		writeDiffCall(b, c)
	}
	if more := d.More + len(d.Calls) - len(listed); more > 0 {
		fmt.Fprintf(b, "\nand %d more.\n", more)
	}
	b.WriteByte('\n')
}

// writeDiffCall writes a row for a call, and one for each further thing that changed
// of it.
func writeDiffCall(b *strings.Builder, c diff.CallChange) {
	var facts []fact
	for _, a := range c.Arguments {
		was, is := diff.TruncateAroundDifference(a.Base, a.Head, maxSummaryText)
		facts = append(facts, fact{a.Name, was, is})
	}
	facts = append(facts, callFacts(c)...)
	name := Cell(callName(c))
	if len(facts) == 0 {
		fmt.Fprintf(b, "| %s | %s | %s | %s | | |\n", numberOf(c.Base), numberOf(c.Head), what(c), name)
		return
	}
	for i, f := range facts {
		head := fmt.Sprintf("| %s | %s | %s | %s", numberOf(c.Base), numberOf(c.Head), what(c), name)
		if i > 0 {
			head = "| | | |"
		}
		fmt.Fprintf(b, "%s %s | %s | %s |\n", head, Cell(f.name), Cell(f.was), Cell(f.is))
	}
}

// callName names a call without its numbers.
func callName(c diff.CallChange) string {
	_, name, _ := strings.Cut(callText(c), " ")
	if c.Base != nil && c.Head != nil && c.Base.Number != c.Head.Number {
		_, name, _ = strings.Cut(strings.TrimPrefix(name, "-> "), " ")
	}
	return name
}

func numberOf(c *diff.Call) string {
	if c == nil {
		return ""
	}
	return strconv.Itoa(c.Number)
}

// markedFiles returns the paths with a mark of which run they are of, and a word for
// those that were deleted.
func markedFiles(f diff.Files) (lines []string) {
	for _, l := range fileLists(f) {
		for _, path := range l.paths {
			lines = append(lines, l.mark+l.word+path)
		}
	}
	return lines
}

// writeDiffLines writes lines that are marked - and +, in a fence.
func writeDiffLines(b *strings.Builder, title string, lines []string, more int) {
	if len(lines) == 0 {
		return
	}
	text, fence := Fenced(strings.Join(lines, "\n"), MaxSummaryBytes)
	fmt.Fprintf(b, "### %s\n\n%sdiff\n%s\n%s\n\n", title, fence, text, fence)
	if more > 0 {
		fmt.Fprintf(b, "and %d more.\n\n", more)
	}
}

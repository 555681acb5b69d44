package document

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// terminal is a document for people at a terminal or in a log.
type terminal struct {
	strings.Builder
	width   int
	colours bool
	indent  string
}

func (t *terminal) all(blocks []Block) {
	for _, b := range blocks {
		b.terminal(t)
	}
}

// line writes one line behind a mark. What is longer than the width goes on in further
// lines: nothing is cut from the left or left out.
func (t *terminal) line(tone Tone, mark, text string) {
	room := len(text) * 2
	if t.width > 0 {
		room = max(t.width-term.Cells(t.indent+mark), 20)
	}
	for first := true; first || text != ""; first = false {
		end := breakAt(text, room)
		line := term.BreakCommands(text[:end])
		text = strings.TrimPrefix(text[end:], " ")
		t.WriteString(strings.TrimRight(t.indent+mark+tone.colour().Paint(line, t.colours && tone != Plain && line != ""), " ") + "\n")
		mark = strings.Repeat(" ", utf8.RuneCountInString(mark))
	}
}

// breakAt returns where a line that fits into a width ends, between words if it can.
func breakAt(text string, width int) int {
	if term.Cells(text) <= width {
		return len(text)
	}
	end := max(term.Fitting(text, width), 1)
	for !utf8.RuneStart(text[end]) {
		end++
	}
	if blank := strings.LastIndexByte(text[:end], ' '); blank > end/2 {
		return blank
	}
	return end
}

// lines writes the lines of a text behind a mark.
func (t *terminal) lines(tone Tone, mark, text string) {
	for _, line := range term.Clean(text) {
		t.line(tone, mark, line)
	}
}

func (b Title) terminal(t *terminal) {
	if t.Len() > 0 {
		t.WriteByte('\n')
	}
	t.line(b.Tone, "", oneLine(b.Text))
}

func (b Text) terminal(t *terminal) {
	if b.Label != "" {
		t.line(b.Tone, "", b.Label+": "+oneLine(b.Text))
		return
	}
	t.lines(b.Tone, "", b.Text)
}

func (b Facts) terminal(t *terminal) {
	width := 0
	for _, r := range b {
		width = max(width, utf8.RuneCountInString(r.Name))
	}
	for _, r := range b {
		t.line(Plain, r.Name+strings.Repeat(" ", width-utf8.RuneCountInString(r.Name)+2), oneLine(r.Value))
	}
}

func (b Table) terminal(t *terminal) {
	all := append([][]string{b.Head}, b.Rows...)
	widths := make([]int, len(b.Head))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Cells(oneLine(cell)))
		}
	}
	for _, row := range all {
		line := ""
		for i, cell := range row {
			cell = oneLine(cell)
			line += cell + strings.Repeat(" ", widths[i]-term.Cells(cell)+2)
		}
		t.line(Plain, "", strings.TrimRight(line, " "))
	}
}

func (b List) terminal(t *terminal) {
	for _, item := range b {
		t.line(Plain, "- ", oneLine(item))
	}
}

func (b Fence) terminal(t *terminal) {
	for _, line := range term.Clean(b.Text) {
		tone := Plain
		switch {
		case b.Lang != "diff":
		case strings.HasPrefix(line, "+"):
			tone = Good
		case strings.HasPrefix(line, "-"):
			tone = Bad
		}
		t.line(tone, "| ", line)
	}
}

func (b Answer) terminal(t *terminal) { t.lines(Plain, "", string(b)) }

func (b Link) terminal(t *terminal) { t.line(Plain, "", b.Text+": "+b.URL) }

func (b Fold) terminal(t *terminal) {
	summary := oneLine(b.Summary)
	if b.Note != "" && !b.Code {
		summary += " · " + oneLine(b.Note)
	}
	t.line(Plain, "", summary)
	before := t.indent
	t.indent += "  "
	if b.Note != "" && b.Code {
		t.line(b.Tone, "", oneLine(b.Note))
	}
	t.all(b.Body)
	t.indent = before
}

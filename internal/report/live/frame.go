package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/text/term"
)

const (
	wordWidth = 7 // of what became of a call, its blank included
	tailLines = 5
	gap       = "  " // between a call and what became of it

	// roomForTitle is how many lines must be left for what happens before one
	// is spent on the title, which does not change.
	roomForTitle = 4
)

// frame draws the board on a screen of width times height cells. It never has
// more lines than fit, the empty one at its end included, on which the cursor
// stays. What matters most goes last: the bottom line tells where the run is
// while it goes on, and how it ended after that.
func (b *board) frame(width, height int, now time.Time, ending, colours bool) string {
	room := height - 1
	if width <= 0 || room <= 0 {
		return ""
	}
	bottom := b.bottom(width, now, ending, colours)
	bottom = bottom[max(0, len(bottom)-room):]
	room -= len(bottom)
	tail := b.tailing(width, min(tailLines, room/3))
	room -= len(tail)
	var top []string
	if b.title != "" && room >= roomForTitle {
		top = []string{line{text: b.title}.show(width, colours)}
		room--
	}
	for _, r := range b.rows[max(0, len(b.rows)-room):] {
		top = append(top, r.show(width, now, colours))
	}
	return strings.Join(append(append(top, tail...), bottom...), "\n") + "\n"
}

// bottom is the line that shows how far the run is, or the lines of its end.
func (b *board) bottom(width int, now time.Time, ending, colours bool) []string {
	if b.end != nil {
		var shown []string
		for _, l := range b.end {
			shown = append(shown, wrapped(l, width, colours)...)
		}
		return shown
	}
	var facts []string
	if ending {
		facts = append(facts, "ending, Ctrl-C again does not wait")
	}
	at := fmt.Sprintf("turn %d", b.turn)
	if b.doing != "" {
		at += ", " + b.doing + " " + term.Spoken(now.Sub(b.since))
	}
	facts = append(facts, at)
	if b.calls > 0 {
		facts = append(facts, term.Counted(b.calls, "tool call"))
	}
	if b.in+b.out > 0 {
		facts = append(facts, fmt.Sprintf("%d tokens in and %d out", b.in, b.out))
	}
	if !b.began.IsZero() {
		facts = append(facts, term.Spoken(now.Sub(b.began)))
	}
	text := strings.Join(facts, " · ")
	if hinted := text + " · Ctrl-C ends the run"; !ending && term.Cells(hinted) <= width {
		text = hinted
	}
	return []string{term.Grey.Paint(term.BreakCommands(term.Cut(text, width)), colours)}
}

// wrapped returns a line in as many rows as it needs. Only its first row has
// the colour of its word.
func wrapped(l line, width int, colours bool) []string {
	full := l.indent + l.word + l.text
	if term.Cells(full) <= width {
		return []string{l.show(width, colours)}
	}
	var rows []string
	for full != "" {
		end := term.Fitting(full, width)
		if end == 0 { // a wide character on a screen of one cell
			end = len(full)
		}
		rows = append(rows, term.BreakCommands(full[:end]))
		full = full[end:]
	}
	return rows
}

// tailing returns the last lines of what a tool printed or the model says.
func (b *board) tailing(width, most int) []string {
	if b.end != nil || most <= 0 {
		return nil
	}
	var shown []string
	for _, text := range term.Clean(b.tail) {
		if text = strings.TrimRight(text, " "); text != "" {
			shown = append(shown, line{indent: textPrefix, text: text}.show(width, false))
		}
	}
	return shown[max(0, len(shown)-most):]
}

// show returns the row in width cells: a call and, beside it, what became of
// it.
func (r row) show(width int, now time.Time, colours bool) string {
	if r.call == nil {
		l := r.line
		l.whole = false
		return l.show(width, colours)
	}
	l := r.line
	room := width - len(l.indent) - wordWidth
	result := r.result
	if !r.running.IsZero() {
		result = "(" + term.Spoken(now.Sub(r.running)) + ")"
	}
	pad := strings.Repeat(" ", max(1, wordWidth-len(l.word)))
	if result == "" {
		l.text = pad + term.Cut(r.call.Title, room)
		return l.show(width, colours)
	}
	// The call may take what the result does not need, and half in any case.
	l.text = pad + term.Cut(r.call.Title, max((room-len(gap))/2, room-term.Cells(result)-len(gap))) + gap + result
	return l.show(width, colours)
}

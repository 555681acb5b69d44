package live

import (
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// line is one line about a run: a word that says what it is, and a text.
type line struct {
	indent string
	word   string
	colour term.Colour
	text   string
	// whole says that the text is worth more rows than one: why something
	// was refused or failed.
	whole bool
}

// show returns the line for a screen of width cells. It is one row, unless
// the line is to be whole, and begins with no command of a job log.
func (l line) show(width int, colours bool) string {
	text := l.text
	if !l.whole {
		left := width - term.Cells(l.indent+l.word)
		if left < 0 {
			return term.Cut(l.indent+l.word, width)
		}
		text = term.Cut(text, left)
	}
	text = term.BreakCommands(text)
	return strings.TrimRight(l.indent+l.colour.Paint(l.word, colours && l.colour != "")+text, " ")
}

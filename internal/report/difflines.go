package report

import (
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/report/diff"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// line writes a line that is cut at the width.
func (t *diffText) line(indent string, colour term.Colour, text string) {
	t.WriteString(indent + colour.Paint(term.Fit(strings.TrimRight(text, " "), diffWidth-len(indent)), t.colour && colour != "") + "\n")
}

// list writes what stands between commas, in as many lines as that needs.
func (t *diffText) list(name, text string) {
	line := name
	for i, word := range strings.Split(text, ", ") {
		switch {
		case i == 0:
			line += word
		case len(line)+len(", ,")+len(word) > diffWidth:
			t.line("", "", line+",")
			line = strings.Repeat(" ", 10) + word
		default:
			line += ", " + word
		}
	}
	t.line("", "", line)
}

// change writes a value as it was and as it is, one of them empty for none.
func (t *diffText) change(indent, was, is string) {
	was, is = diff.TruncateAroundDifference(was, is, room(was+is, diffWidth-len(indent+"- ")))
	if was != "" {
		t.line(indent, term.Red, "- "+was)
	}
	if is != "" {
		t.line(indent, term.Green, "+ "+is)
	}
}

// room is how many characters of a text fit in a width in cells, however wide they are.
func room(text string, width int) int {
	if term.Cells(text) > utf8.RuneCountInString(text) {
		return width / 2
	}
	return width
}

// wrapped writes a text in as many lines as it needs, the further ones indented,
// between words where it has them.
func (t *diffText) wrapped(indent string, colour term.Colour, text string) {
	const further = "  "
	for width := diffWidth - len(indent); term.Cells(text) > width; width = diffWidth - len(indent) {
		end, blank := 0, 0
		for i, r := range text {
			if term.Cells(text[:i]) > width {
				break
			}
			if end = i; r == ' ' && strings.TrimSpace(text[:i]) != "" {
				blank = i + 1
			}
		}
		if blank > width/2 {
			end = min(end, blank)
		}
		t.line(indent, colour, text[:end])
		if rest := text[end:]; blank > width/2 {
			text = further + strings.TrimLeft(rest, " ")
		} else {
			text = further + rest
		}
	}
	t.line(indent, colour, text)
}

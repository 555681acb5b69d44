package term

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// isTerminal reports whether what is written to w is seen by a person at once: a
// file or a pipe is none.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colours reports whether texts written to w may be coloured: only at a
// terminal, and neither where NO_COLOR is set nor where TERM is dumb. Consoles
// of Windows show the sequences raw unless they were switched, so they get
// none.
func Colours(w io.Writer, getenv func(string) string) bool {
	return colours(isTerminal(w), runtime.GOOS, getenv)
}

func colours(terminal bool, system string, getenv func(string) string) bool {
	return terminal && system != "windows" && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// Colour is the terminal sequence that begins a colour.
type Colour string

// The colours of severities, readable on light and dark grounds.
const (
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"
	Grey   Colour = "\x1b[90m"
)

const plainAgain = "\x1b[0m"

// Paint returns text in the colour, or as it is where colours are off. Text
// must be clean: a sequence in it would end the colour early.
func (c Colour) Paint(text string, on bool) string {
	if !on || text == "" {
		return text
	}
	return string(c) + text + plainAgain
}

package term

import (
	"io"
	"os"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// PlainWidth bounds a line where no screen does, in cells: a log can be
// searched for a long path, but not for a whole file.
const PlainWidth = 400

// Screen is what is known of the place where lines are shown. Its zero value
// is a place that is no terminal: a file, a pipe or a job log.
type Screen struct {
	terminal *os.File
	colours  bool
}

// NewScreen looks at what is written to by w. Colours are off where Colours
// says so.
func NewScreen(w io.Writer, getenv func(string) string) Screen {
	s := Screen{colours: Colours(w, getenv)}
	if f, ok := w.(*os.File); ok && isTerminal(w) && getenv("TERM") != "dumb" && enableSequences(f) {
		s.terminal = f
	}
	return s
}

// Terminal reports whether a person looks at the screen and the cursor on it
// can be moved.
func (s Screen) Terminal() bool { return s.terminal != nil }

// File returns the terminal, nil where the screen is none.
func (s Screen) File() *os.File { return s.terminal }

// Colored reports whether texts on the screen may have colors.
func (s Screen) Colored() bool { return s.colours }

// Width returns the cells that a line has now: a person may change the size of
// the window at any time.
func (s Screen) Width() int {
	if s.terminal == nil {
		return PlainWidth
	}
	width, _, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil || width <= 0 {
		return PlainWidth
	}
	return width
}

// The size that is taken for a terminal that does not know its own.
const usualWidth, usualHeight = 80, 24

// Size returns the cells and rows of a picture that is drawn in place.
func (s Screen) Size() (width, height int) {
	if s.terminal != nil {
		width, height, _ = term.GetSize(int(s.terminal.Fd()))
	}
	if width <= 0 || height <= 0 {
		return usualWidth, usualHeight
	}
	return width, height
}

// Cells returns how many cells of a terminal s takes at most: two for wide characters,
// none for marks that join the one before. Terminals differ in whether they join
// several pictures to one.
func Cells(s string) int {
	n, state := 0, -1
	for s != "" {
		var seen string
		var width int
		seen, s, width, state = uniseg.FirstGraphemeClusterInString(s, state)
		n += apart(seen, width)
	}
	return n
}

// apart returns how many cells of what is seen as one character of that width are
// taken where its parts are not joined.
func apart(seen string, width int) int {
	if len(seen) == 1 {
		return width
	}
	parts := 0
	for _, r := range seen {
		parts += uniseg.StringWidth(string(r))
	}
	return max(width, parts)
}

// Ellipsis shows that something was left out.
const Ellipsis = "…"

// Fit returns a clean line in at most width cells.
func Fit(line string, width int) string { return Cut(BreakCommands(line), width) }

// Cut returns s in at most max cells, never through the middle of what is seen
// as one character; what is left out is shown by a final "…".
func Cut(s string, max int) string {
	if Cells(s) <= max {
		return s
	}
	room := max - Cells(Ellipsis)
	if room < 0 {
		return ""
	}
	return s[:Fitting(s, room)] + Ellipsis
}

// Fitting returns the bytes at the beginning of s that fit in max cells and
// are whole characters.
func Fitting(s string, max int) int {
	end, state := 0, -1
	for rest := s; rest != ""; {
		var seen string
		var width int
		seen, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if max -= apart(seen, width); max < 0 {
			break
		}
		end += len(seen)
	}
	return end
}

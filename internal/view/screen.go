package view

import (
	"io"
	"os"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// plainWidth bounds a line where no screen does, in cells: a log can be
// searched for a long path, but not for a whole file.
const plainWidth = 400

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

// width returns the cells that a line has now: a person may change the size of
// the window at any time.
func (s Screen) width() int {
	if s.terminal == nil {
		return plainWidth
	}
	width, _, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil || width <= 0 {
		return plainWidth
	}
	return width
}

// The size that is taken for a terminal that does not know its own.
const usualWidth, usualHeight = 80, 24

// size returns the cells and rows of a picture that is drawn in place.
func (s Screen) size() (width, height int) {
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

const ellipsis = "…"

// Fit returns a clean line in at most width cells.
func Fit(line string, width int) string { return cut(breakCommands(line), width) }

// cut returns s in at most max cells, never through the middle of what is seen
// as one character; what is left out is shown by a final "…".
func cut(s string, max int) string {
	if Cells(s) <= max {
		return s
	}
	room := max - Cells(ellipsis)
	if room < 0 {
		return ""
	}
	return s[:fitting(s, room)] + ellipsis
}

// fitting returns the bytes at the beginning of s that fit in max cells and
// are whole characters.
func fitting(s string, max int) int {
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

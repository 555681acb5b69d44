package toolresult

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// NoteRoom is what a list or a preview leaves free for the line that says what
// was cut and how to go on.
const NoteRoom = 128

// Fitting returns how many of count lines, from the first on, fit in room bytes.
func Fitting(count, room int, line func(int) string) int {
	for i := range count {
		if room -= len(line(i)); room < 0 {
			return i
		}
	}
	return count
}

// Counted returns a number and what it counts: "1 file", "2 files".
func Counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Printable returns s with control characters escaped, so that a name cannot
// break the line it stands on.
func Printable(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

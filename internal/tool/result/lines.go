package result

import (
	"fmt"
	"strings"
)

// NoteRoom is what a list or a preview leaves free for the line that says what
// was cut and how to go on.
const NoteRoom = 128

// Fit returns the items, from the first on, whose lines fit in room bytes.
func Fit[T any](items []T, room int, line func(T) string) []T {
	fitting := []T{} // a list in JSON, also when it is empty
	for _, item := range items {
		if room -= len(line(item)); room < 0 {
			break
		}
		fitting = append(fitting, item)
	}
	return fitting
}

// Listing renders a head and the lines of the items, and says what is omitted,
// if anything is.
func Listing[T any](head string, items []T, line func(T) string, omitted string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, item := range items {
		b.WriteString(line(item))
	}
	if omitted != "" {
		b.WriteString("[... " + omitted + " ...]\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Omitted says how many of total items a list does not show, nothing if it
// shows them all. nouns are what the items are, and the way to see the others.
func Omitted(shown int, total int64, nouns, way string) string {
	if int64(shown) >= total {
		return ""
	}
	return fmt.Sprintf("%d of %d %s omitted%s", total-int64(shown), total, nouns, way)
}

// Counted returns a number and what it counts: "1 file", "2 files".
func Counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

package view

import (
	"fmt"
	"io"
)

// Message prints a text for people as an error, a hint or the like, each line
// behind the name of the program. The text can quote names that others have
// given to their files.
func Message(w io.Writer, kind, text string) {
	for _, line := range Clean(text) {
		fmt.Fprintf(w, "openagent: %s: %s\n", kind, line)
	}
}

package term

import (
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Message prints a text for people as an error, a hint or the like, each line
// behind the name of the program. The text can quote names that others have
// given to their files.
func Message(w io.Writer, kind, text string) {
	for _, line := range Clean(text) {
		fmt.Fprintf(w, "openagent: %s: %s\n", kind, line)
	}
}

// maxMessage bounds what is printed of an error, in bytes: it may quote what was
// given, however long that is.
const maxMessage = 4 << 10

// Bounded returns the beginning of an error's text.
func Bounded(text string) string { return clip.Short(text, maxMessage) }

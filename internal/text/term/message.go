package term

import (
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/text/clip"
)

// maxMessage bounds what is printed of an error, in characters: it may quote what was
// given, however long that is.
const maxMessage = 4 << 10

// Message prints a text for people as an error, a hint or the like, each line after
// the name of the program. The text can quote names that others have given to their
// files.
func Message(w io.Writer, kind, text string) {
	for _, line := range Clean(clip.Short(text, maxMessage)) {
		fmt.Fprintf(w, "openagent: %s: %s\n", kind, line)
	}
}

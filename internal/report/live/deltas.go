package live

import (
	"fmt"
	"io"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// deltas shows text as it arrives, line by line behind a prefix: what has no
// end yet is held, since half a line cannot be cleaned.
type deltas struct {
	w    io.Writer
	held string
}

const textPrefix = "  | "

func (t *deltas) add(text string) {
	t.held += text
	end := strings.LastIndexByte(t.held, '\n')
	if end < 0 {
		return
	}
	t.print(t.held[:end+1])
	t.held = t.held[end+1:]
}

func (t *deltas) end() {
	t.print(t.held)
	t.held = ""
}

func (t *deltas) print(text string) {
	for _, line := range term.Clean(text) {
		fmt.Fprintln(t.w, textPrefix+line)
	}
}

package harness

import (
	"bytes"

	"github.com/openagent-ci/openagent/internal/view"
)

// maxHint bounds the hint of an agent, in bytes.
const maxHint = 1 << 10

// hintPrefix begins the line of a hint on stderr.
const hintPrefix = "openagent: hint: "

// hintFinder finds the last hint in the stderr of the built-in agent, which
// would else be a line among others.
type hintFinder struct {
	line []byte
	text string
}

// add looks through a piece of stderr, which may end anywhere.
func (h *hintFinder) add(piece []byte) {
	for len(piece) > 0 {
		line, rest, ended := bytes.Cut(piece, []byte("\n"))
		if room := len(hintPrefix) + maxHint - len(h.line); room > 0 {
			h.line = append(h.line, line[:min(room, len(line))]...)
		}
		if piece = rest; !ended {
			return
		}
		if text, ok := bytes.CutPrefix(h.line, []byte(hintPrefix)); ok {
			h.text = view.OneLine(string(text), maxHint)
		}
		h.line = h.line[:0]
	}
}

package harness

import (
	"bytes"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/term"
)

// maxHint bounds the hint of an agent, in bytes.
const maxHint = 1 << 10

// hintPrefix begins the line of a hint on stderr.
const hintPrefix = "openagent: hint: "

// hintFinder finds the last hint in the stderr of the built-in agent, which
// would else be a line among others.
type hintFinder struct {
	pieces
	text string
}

// add looks through a piece of stderr.
func (h *hintFinder) add(piece []byte) {
	h.each(piece, len(hintPrefix)+maxHint, func(line string) {
		if text, ok := strings.CutPrefix(line, hintPrefix); ok {
			h.text = term.OneLine(text, maxHint)
		}
	})
}

// pieces are lines that come in pieces, which may end anywhere.
type pieces struct{ line []byte }

// each calls do with the begin of each line that a piece ends, max bytes of it.
func (p *pieces) each(piece []byte, max int, do func(line string)) {
	for len(piece) > 0 {
		line, rest, ended := bytes.Cut(piece, []byte("\n"))
		p.line = append(p.line, line[:min(len(line), max-len(p.line))]...)
		if piece = rest; !ended {
			return
		}
		do(string(p.line))
		p.line = p.line[:0]
	}
}

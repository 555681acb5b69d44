package harness

import (
	"strings"
	"testing"
)

// A hint may come in pieces and among other lines; the last one counts, and one
// without an end is bounded.
func TestHintFinder(t *testing.T) {
	for stderr, want := range map[string]string{
		"openagent: error: x\nopenagent: hint: a\n|openagent: h|int: b c|\nmore\n": "b c",
		"say openagent: hint: x\n":                             "",
		"openagent: hint: no end":                              "",
		"openagent: hint: \x1b[1mx\n":                          "x",
		strings.Repeat("x", 1<<20) + "|\nopenagent: hint: y\n": "y",
		hintPrefix + strings.Repeat("z", 1<<20) + "\n":         strings.Repeat("z", maxHint),
	} {
		var h hintFinder
		for piece := range strings.SplitSeq(stderr, "|") {
			h.add([]byte(piece))
		}
		if h.text != want || cap(h.line) > 4*maxHint {
			t.Errorf("hint in %.60q = %.60q with %d bytes held, want %.60q", stderr, h.text, cap(h.line), want)
		}
	}
}

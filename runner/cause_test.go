package runner

import (
	"strings"
	"testing"
)

// The cause is what a person would look for in stderr.
func TestCause(t *testing.T) {
	for stderr, want := range map[string]string{
		"starting\nthe last word": "the last word",
		"error: unexpected argument '--x'\n\nUsage: a [OPTIONS]\n\nFor more information, try '--help'.\n":                    "error: unexpected argument '--x'",
		"Usage: a\n\nOptions:\n  -d, --debug  show error details\n\nUnknown argument: x\n":                                   "Unknown argument: x",
		"Fetching\nNotFoundError: NotFoundError\n data: {\n  message: \"no session ses_x\",\n},\n\n    at f (/a/b.js:1:2)\n": "NotFoundError: NotFoundError: no session ses_x",
		"TypeError: x is null\n    at f (b.js:1)\n    at g (b.js:2)\n}\n":                                                    "TypeError: x is null",
		"{\n  \"error\": {\n    \"message\": \"no quota\"\n  }\n}\n":                                                         `"error": no quota`,
		"/a/b.js:3\n    throw new Error('x')\n    ^\n\nError: x is not y\n    at f (b.js:3)\n\nNode.js v22":                  "Error: x is not y",
		"starting\nstream error: lost\nbye\n":                                                                                "stream error: lost",
		"thread 'main' panicked at a.rs:1:2:\nno home\nnote: run with `X=1` for more":                                        "no home",
		"10 %\r20 %\rError: cut\r\n": "Error: cut",
		"}\n]\n":                     "",
		strings.Repeat("x", maxCause) + "error\nlast\n": "last",
	} {
		c := newCause()
		for piece := range strings.SplitAfterSeq(stderr, "i") { // pieces may end anywhere
			_, _ = c.split.Write([]byte(piece))
		}
		if got := c.String(); got != want {
			t.Errorf("cause of %q = %q, want %q", stderr, got, want)
		}
	}
}

package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// pattern covers one way in which secrets are commonly written. Group 1, what
// comes before the secret, is kept.
type pattern struct {
	// One of these words must be in the text for the expression to be tried at all:
	// most text has none, and searching for them is cheap.
	words []string
	fold  bool // they are in lower case and match in any
	re    func() *regexp.Regexp
	end   string // of what is replaced, kept
}

// keyEnds are how the first and the last line of a private key end, the second
// those of one for PGP.
var keyEnds = []string{"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"}

// HoldsPrivateKey reports whether a text has a line that begins or ends a
// private key.
func HoldsPrivateKey(text []byte) bool {
	return slices.ContainsFunc(keyEnds, func(end string) bool { return bytes.Contains(text, []byte(end)) })
}

var secretPatterns = []pattern{
	{[]string{"PRIVATE KEY"}, false, lazyregexp.New(`()-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`), ""},
	{[]string{"TOKEN", "SECRET", "PASSWORD", "KEY"}, false, lazyregexp.New(`(\b[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|KEY)[A-Z0-9_]*=)(?:"[^"\r\n]+"|'[^'\r\n]+'|[^\s"'&;,]+)`), ""},
	{[]string{"--password"}, false, lazyregexp.New(`(--password[ =])(?:"[^"\r\n]+"|'[^'\r\n]+'|[^\s"']+)`), ""},
	{[]string{"://"}, false, lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@"'<>]+@`), "@"},
	{[]string{"bearer", "basic"}, true, lazyregexp.New(`(?i)(\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}`), ""},
	{[]string{"x-api-key"}, true, lazyregexp.New(`(?i)(x-api-key["']?\s*[:=]\s*["']?)[^\s"',]+`), ""},
	{[]string{"access_token"}, true, lazyregexp.New(`(?i)(access_token["']?\s*[:=]\s*["']?)[^\s"'&,]+`), ""},
}

// maskPatterns returns s with whatever looks like a secret replaced.
func maskPatterns(s string) string {
	lower := strings.ToLower(s)
	for _, p := range secretPatterns {
		in := s
		if p.fold {
			in = lower
		}
		if slices.ContainsFunc(p.words, func(word string) bool { return strings.Contains(in, word) }) {
			s = p.re().ReplaceAllString(s, "${1}"+Mask+p.end)
		}
	}
	return s
}

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
	// one of these must be in the text for the expression to be tried at all:
	// most text has none, and searching for them is cheap.
	triggers []trigger
	re       func() *regexp.Regexp
	end      string // of what is replaced, kept
}

// trigger is a word to search for. With fold the case of its letters does not
// matter; it is searched by that of its letters that stands at rare, one that
// ordinary text seldom has.
type trigger struct {
	word string
	fold bool
	rare int
}

// exactly returns triggers for words in just this spelling.
func exactly(words ...string) []trigger {
	var list []trigger
	for _, w := range words {
		list = append(list, trigger{word: w})
	}
	return list
}

func (t trigger) in(s string) bool {
	if !t.fold {
		return strings.Contains(s, t.word)
	}
	letter := t.word[t.rare]
	return t.inAt(s, letter) || letter >= 'a' && t.inAt(s, letter-'a'+'A')
}

// inAt is in for the words that have letter at rare.
func (t trigger) inAt(s string, letter byte) bool {
	for from := t.rare; from < len(s); {
		i := strings.IndexByte(s[from:], letter)
		if i < 0 {
			return false
		}
		begin := from + i - t.rare
		if end := begin + len(t.word); end <= len(s) && strings.EqualFold(s[begin:end], t.word) {
			return true
		}
		from += i + 1
	}
	return false
}

// keyEnds are how the first and the last line of a private key end, the second
// those of one for PGP.
var keyEnds = []string{"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"}

// HoldsPrivateKey reports whether a text has a line that begins or ends a
// private key.
func HoldsPrivateKey(text []byte) bool { return keyLine(text) > 0 }

// keyLine returns the offset behind the first line's part that begins or ends a
// private key, 0 for none.
func keyLine(text []byte) int {
	first := 0
	for _, end := range keyEnds {
		if i := bytes.Index(text, []byte(end)); i >= 0 && (first == 0 || i+len(end) < first) {
			first = i + len(end)
		}
	}
	return first
}

var secretPatterns = []pattern{
	{exactly("PRIVATE KEY"), lazyregexp.New(`()-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`), ""},
	{exactly("TOKEN", "SECRET", "PASSWORD", "KEY"), lazyregexp.New(`(\b[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|KEY)[A-Z0-9_]*=)(?:"[^"\r\n]+"|'[^'\r\n]+'|[^\s"'&;,]+)`), ""},
	{exactly("--password"), lazyregexp.New(`(--password[ =])(?:"[^"\r\n]+"|'[^'\r\n]+'|[^\s"']+)`), ""},
	{exactly("://"), lazyregexp.New(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@"'<>]+@`), "@"},
	{[]trigger{{"bearer", true, 0}, {"basic", true, 0}}, lazyregexp.New(`(?i)(\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}`), ""},
	{[]trigger{{"x-api-key", true, 0}}, lazyregexp.New(`(?i)(x-api-key["']?\s*[:=]\s*["']?)[^\s"',]+`), ""},
	{[]trigger{{"access_token", true, 6}}, lazyregexp.New(`(?i)(access_token["']?\s*[:=]\s*["']?)[^\s"'&,]+`), ""},
}

// maskPatterns returns s with whatever looks like a secret replaced.
func maskPatterns(s string) string {
	for _, p := range secretPatterns {
		if p.triggered(s) {
			s = p.re().ReplaceAllString(s, "${1}"+Mask+p.end)
		}
	}
	return s
}

func (p pattern) triggered(s string) bool {
	return slices.ContainsFunc(p.triggers, func(t trigger) bool { return t.in(s) })
}

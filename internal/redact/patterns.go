package redact

import (
	"regexp"
	"strings"
)

// pattern covers one way in which secrets are commonly written. Group 1, what
// comes before the secret, is kept.
type pattern struct {
	// any of these, in lower case, must be in the text for the expression to
	// be tried at all: most text has none, and searching for them is cheap.
	triggers []string
	re       *regexp.Regexp
}

var known = []pattern{
	{[]string{"private key-----"}, regexp.MustCompile(`()-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`)},
	{[]string{"token", "secret", "password", "key"}, regexp.MustCompile(`(\b[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|KEY)[A-Z0-9_]*=)(?:"[^"\r\n]+"|'[^'\r\n]+'|[^\s"'&;,]+)`)},
	{[]string{"--password"}, regexp.MustCompile(`(--password[ =])(?:"[^"\r\n]+"|'[^'\r\n]+'|[^\s"']+)`)},
	{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@"'<>]+@`)},
	{[]string{"bearer", "basic"}, regexp.MustCompile(`(?i)(\b(?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}`)},
	{[]string{"x-api-key"}, regexp.MustCompile(`(?i)(x-api-key["']?\s*[:=]\s*["']?)[^\s"',]+`)},
	{[]string{"access_token"}, regexp.MustCompile(`(?i)(access_token["']?\s*[:=]\s*["']?)[^\s"'&,]+`)},
}

// patterns returns s with whatever looks like a secret replaced.
func patterns(s string) string {
	lower := ""
	for _, p := range known {
		if lower == "" {
			lower = strings.ToLower(s)
		}
		if !containsAny(lower, p.triggers) {
			continue
		}
		if out := p.re.ReplaceAllString(s, "${1}"+replacement(p)); out != s {
			s, lower = out, ""
		}
	}
	return s
}

// replacement keeps the @ that ends the user part of a URL.
func replacement(p pattern) string {
	if p.triggers[0] == "://" {
		return Mask + "@"
	}
	return Mask
}

func containsAny(s string, subs []string) bool {
	for _, sub := range subs {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}

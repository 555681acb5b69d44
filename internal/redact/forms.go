package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

// forms returns the spellings under which a secret may turn up: as it is,
// escaped for JSON and URLs, in hex and in base64. A secret of several lines
// counts line by line, since sinks see lines.
func forms(secret string) []string {
	var out []string
	secret = strings.TrimRight(secret, "\r\n")
	if strings.Contains(secret, "\n") {
		for line := range strings.SplitSeq(secret, "\n") {
			out = append(out, forms(strings.TrimSpace(line))...)
		}
	}
	if len(secret) < MinSecretBytes {
		return out
	}
	out = append(out, secret, url.QueryEscape(secret), url.PathEscape(secret), jsonBody(secret, true), jsonBody(secret, false))
	h := hex.EncodeToString([]byte(secret))
	out = append(out, h, strings.ToUpper(h))
	for shift := range 3 {
		out = append(out, base64Body(base64.StdEncoding, secret, shift), base64Body(base64.URLEncoding, secret, shift))
	}
	return out
}

// jsonBody returns s as it stands inside a JSON string.
func jsonBody(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(s) != nil {
		return s
	}
	return strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`)
}

// base64Body returns the base64 characters that s alone decides when it begins
// shift bytes (0 to 2) after a group of three; its neighbours decide the rest.
func base64Body(enc *base64.Encoding, s string, shift int) string {
	all := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), s...))
	from := []int{0, 2, 3}[shift]
	to := (shift + len(s)) * 8 / 6
	return all[from:to]
}

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// forms returns the spellings of a secret that are looked for: as it is, in hex
// and in base64. Its letters may be escaped as sign reads them, or parted. A
// secret of several lines counts line by line, since sinks see lines.
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
	out = append(out, secret)
	if plus := strings.ReplaceAll(secret, " ", "+"); plus != secret { // the one escape without a sign of its own
		out = append(out, plus)
	}
	if text, _ := squeeze(secret, false, false); len(text) < MinSecretBytes { // it looks like escapes itself, and is not found by its letters
		if b, err := jsontext.Marshal(secret); err == nil {
			out = append(out, string(b[1:len(b)-1]))
		}
		out = append(out, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret))
	}
	h := hex.EncodeToString([]byte(secret))
	out = append(out, h, strings.ToUpper(h))
	for shift := range 3 {
		out = append(out, base64Body(base64.StdEncoding, secret, shift), base64Body(base64.URLEncoding, secret, shift))
	}
	return out
}

// folded returns the forms as squeeze leaves them.
func folded(forms []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, f := range forms {
		if text, _ := squeeze(f, false, false); len(text) >= MinSecretBytes && !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// base64Body returns the base64 characters that s alone decides when it begins
// shift bytes (0 to 2) after a group of three; its neighbours decide the rest.
func base64Body(enc *base64.Encoding, s string, shift int) string {
	all := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), s...))
	from := []int{0, 2, 3}[shift]
	to := (shift + len(s)) * 8 / 6
	return all[from:to]
}

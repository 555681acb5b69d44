package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// forms returns the spellings under which a secret may turn up: as it is,
// escaped for JSON, XML and URLs, in hex and in base64. A secret of several
// lines counts line by line, since sinks see lines.
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
	out = append(append(append(out, secret), xmlForms(secret)...), urlForms(secret)...)
	out = append(append(out, jsonForms(secret)...), escapes(secret)...)
	for _, once := range append(jsonForms(secret), escapes(secret)...) { // JSON inside a string of JSON
		out = append(out, jsonBody(once, false))
	}
	h := hex.EncodeToString([]byte(secret))
	out = append(out, h, strings.ToUpper(h))
	for shift := range 3 {
		out = append(out, base64Body(base64.StdEncoding, secret, shift), base64Body(base64.URLEncoding, secret, shift))
	}
	return out
}

// xmlForms returns s as writers of XML and HTML print it: what has to be escaped
// by name or number, or every character by number.
func xmlForms(s string) []string {
	list := []string{html.EscapeString(s), strings.ReplaceAll(html.EscapeString(s), "&#34;", "&quot;")}
	for _, reference := range []string{"&#%d;", "&#x%x;", "&#x%X;"} {
		var signs, all strings.Builder
		for _, r := range s {
			number := fmt.Sprintf(reference, r)
			all.WriteString(number)
			if strings.ContainsRune(`<>&"'`, r) {
				signs.WriteString(number)
			} else {
				signs.WriteRune(r)
			}
		}
		list = append(list, signs.String(), all.String())
	}
	return list
}

// kept are the signs that writers of URLs leave as they are, beside letters,
// digits and -_.~: none by the standard, the slash in Python, and those of
// encodeURIComponent in JavaScript.
var kept = []string{"", "/", "!'()*"}

func urlForms(secret string) []string {
	list := []string{url.QueryEscape(secret), url.PathEscape(secret)}
	for _, signs := range kept {
		list = append(list, percent(secret, signs))
	}
	for _, s := range list {
		list = append(list, lowerEscapes(s))
	}
	return list
}

// escapes returns s with each character escaped, as some writers do: for URLs
// and for JSON, in both cases of the digits.
func escapes(s string) []string {
	var percents, units strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&percents, "%%%02x", s[i])
	}
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&units, "%04x", unit)
	}
	list := []string{percents.String(), strings.ToUpper(percents.String())}
	for _, digits := range []string{units.String(), strings.ToUpper(units.String())} {
		var b strings.Builder
		for ; digits != ""; digits = digits[4:] {
			b.WriteString(`\u` + digits[:4])
		}
		list = append(list, b.String())
	}
	return list
}

// percent escapes all bytes of s but letters, digits, -_.~ and the signs.
func percent(s, signs string) string {
	var b strings.Builder
	for i := range len(s) {
		if url.QueryEscape(s[i:i+1]) == s[i:i+1] || strings.IndexByte(signs, s[i]) >= 0 {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

// lowerEscapes writes the escapes of a URL in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// jsonForms returns s as writers of JSON print it inside of a string: as short
// as may be, safe for HTML, in ASCII alone, and so with escaped slashes.
func jsonForms(s string) []string {
	short := jsonBody(s, false)
	var ascii strings.Builder
	for _, unit := range utf16.Encode([]rune(short)) {
		if unit < 0x80 {
			ascii.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	return []string{jsonBody(s, true), short, ascii.String(), strings.ReplaceAll(ascii.String(), "/", `\/`)}
}

// jsonBody returns s as it stands inside a JSON string.
func jsonBody(s string, html bool) string {
	marshal := jsontext.Marshal
	if html {
		marshal = json.Marshal
	}
	b, err := marshal(s)
	if err != nil {
		return s
	}
	return strings.Trim(string(b), `"`)
}

// base64Body returns the base64 characters that s alone decides when it begins
// shift bytes (0 to 2) after a group of three; its neighbours decide the rest.
func base64Body(enc *base64.Encoding, s string, shift int) string {
	all := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), s...))
	from := []int{0, 2, 3}[shift]
	to := (shift + len(s)) * 8 / 6
	return all[from:to]
}

package redact

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

// odd is a secret that every writer escapes in another way.
const odd = "tok-test/AbC+9zQ\"<xy>&é~Qw\\Er 🙂0123"

func units(s, format string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, format, u)
	}
	return b.String()
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func eachRune(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func TestString_Escaped(t *testing.T) {
	r := New([]string{odd})
	xml := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(odd)
	net := strings.NewReplacer(`"`, `\u0022`, "+", `\u002B`, "<", `\u003C`, ">", `\u003E`, "&", `\u0026`, `\`, `\\`, "é", `\u00E9`).Replace(odd)
	for name, form := range map[string]string{
		"references with zeros":            eachRune(odd, "&#%06d;"),
		"hexadecimal ones with zeros":      eachRune(odd, "&#X%06x;"),
		"one letter by number":             "&#116;" + xml[1:],
		"the last letter by number":        xml[:len(xml)-1] + "&#x33;",
		"names of HTML":                    strings.ReplaceAll(strings.ReplaceAll(xml, "+", "&plus;"), "/", "&sol;"),
		"HTML in JSON as Go writes it":     inJSON(xml),
		"JSON as .NET writes it":           net,
		"that in JSON":                     inJSON(net),
		"JSON four times":                  inJSON(inJSON(inJSON(inJSON(odd)))),
		"units":                            units(odd, `\u%04X`),
		"units in JSON":                    inJSON(units(odd, `\u%04x`)),
		"bytes of a shell":                 eachByte(odd, `\x%02x`),
		"URL as encodeURI writes it":       strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E", "é", "%C3%A9", `\`, "%5C", " ", "%20", "🙂", "%F0%9F%99%82").Replace(odd),
		"URL with plus":                    url.QueryEscape(odd),
		"URL twice":                        url.QueryEscape(url.PathEscape(odd)),
		"URL three times":                  url.PathEscape(url.PathEscape(url.PathEscape(odd))),
		"URL in JSON":                      units(url.PathEscape(odd), `\u%04x`),
		"JSON in a URL":                    url.PathEscape(net),
		"references in a URL":              url.QueryEscape(xml),
		"a URL in XML":                     html.EscapeString(eachByte(odd, "%%%02x")),
		"every character twice":            eachByte(eachByte(odd, "%%%02x"), "&#%d;"),
		"parted by ends of lines":          strings.Join(strings.Split(odd, ""), "\u2028"),
		"parted by ends of paragraphs":     strings.Join(strings.Split(odd, ""), "\u2029"),
		"parted by escaped ends of lines":  strings.Join(strings.Split(odd, ""), "%0D%0A"),
		"parted by references to a joiner": strings.Join(strings.Split(odd, ""), "&#8203;"),
	} {
		if got, n := r.Known("a " + form + " b"); got != "a "+Mask+" b" || n != 1 {
			t.Errorf("%s: Known(%s) = %s, %d, want it masked once", name, form, got, n)
		}
	}
}

// A secret that looks like an escape itself is found as it is and escaped.
func TestString_SecretOfEscapes(t *testing.T) {
	for _, secret := range []string{`pass%41word\u0041end`, `C:\new\table\x41`, `a&b%2525c\\\\and-so-on`, `100%+&%+\.`, `\n\r\t\n\r\t`, `ab\nc\td1`} {
		r := New([]string{secret})
		for name, form := range map[string]string{
			"raw": secret, "JSON": inJSON(secret), "URL": url.PathEscape(secret), "XML": html.EscapeString(secret),
		} {
			if got, n := r.Known("a " + form + " b"); got != "a "+Mask+" b" || n != 1 {
				t.Errorf("%s: Known(%s) = %s, %d, want it masked once", name, form, got, n)
			}
		}
	}
}

func TestString_NoSecretOfEscapes(t *testing.T) {
	r := New([]string{odd, "sk-test-0123456789"})
	for _, text := range []string{
		"%", "&", `\`, "%4", "%zz", "&;", "&#;", "&#x;", "&#x110000;", "&#99999999999;", "&none;", "&lt", `\u12`, `\x4`, `\ud83d`, "%25", "%2525", "&amp;", "&amp;amp;", `\\\\`,
		"100% of it && more %s &c", `C:\sk-test\0123456789`, "sk%2Dtest%2D012345678", "&lt;sk-test&gt;0123456789", "sk&#45;test&#45;012345678&#57",
	} {
		if got, n := r.Known(text); got != text || n != 0 {
			t.Errorf("Known(%q) = %q, %d, want it unchanged", text, got, n)
		}
	}
}

// Each letter may be escaped in a way of its own.
func TestString_MixedEscapes(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	formats := []string{"%c", "%c", "&#%d;", "&#x%x;", "&#%05d;", `\u%04x`, `\\u%04X`, `\x%02x`, "%%%02X", "%%25%02x", `\u0026#%d;`, "%%26%%23%d;", `%%5Cu%04x`, "&amp;#%d;"}
	for range 5000 {
		letters, form := "", ""
		for range MinSecretBytes + rng.IntN(8) {
			c := "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[rng.IntN(63)]
			letters += string(c)
			form += fmt.Sprintf(formats[rng.IntN(len(formats))], c)
		}
		if got, n := New([]string{letters}).Known("= " + form + " ="); got != "= "+Mask+" =" || n != 1 {
			t.Fatalf("Known(%s) of %s = %s, %d, want it masked once", form, letters, got, n)
		}
	}
}

func FuzzKnown_Escapes(f *testing.F) {
	f.Add(`a\u0026#9&#x41;%2541\\x`)
	r := New([]string{odd, "sk-test-0123456789"})
	f.Fuzz(func(t *testing.T, text string) {
		from := 0
		squeezed, at := squeeze(text, false, true)
		if len(at) != len(squeezed) {
			t.Fatalf("squeeze(%q) = %q with %d places", text, squeezed, len(at))
		}
		for _, s := range at {
			if s.from < from || s.to <= s.from || s.to > len(text) {
				t.Fatalf("squeeze(%q) has a byte at %v behind %d", text, s, from)
			}
			from = s.from
		}
		if got, n := r.Known(text + "sk-test-0123456789"); n == 0 || strings.Contains(got, "sk-test-0123456789") {
			t.Errorf("Known(%q) = %q, %d, want the secret masked", text, got, n)
		}
	})
}

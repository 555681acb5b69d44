package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// wrapped breaks text into lines of that many columns.
func wrapped(text string, columns int, end string) string {
	var lines []string
	for ; len(text) > columns; text = text[columns:] {
		lines = append(lines, text[:columns])
	}
	return strings.Join(append(lines, text), end)
}

// partings are ways to print text so that its letters stand apart.
func partings(text string) map[string]string {
	return map[string]string{
		"LF": wrapped(text, 1, "\n"), "CRLF": wrapped(text, 4, "\r\n"), "TAB": wrapped(text, 1, "\t"), "ESC": wrapped(text, 1, "\x1b"),
		"indented lines": wrapped(text, 5, "\n      "), "JSON": wrapped(text, 6, `\n`), "JSON in JSON": wrapped(text, 6, `\\n`),
		"backspaces in JSON": wrapped(text, 1, `\b`), "form feeds in JSON": wrapped(text, 1, `\f`),
		"colors": wrapped(text, 1, "\x1b[0m"), "lines with colors": wrapped(text, 3, "\x1b[0m\n\x1b[31m"),
		"colors in JSON": wrapped(text, 1, `\u001b[31m`), "one-byte CSI in JSON": wrapped(text, 1, `\u009b1;31m`), "escaped colors": wrapped(text, 4, `\u001b\u005b31m`),
		"titles in JSON": wrapped(text, 4, `\u001b]0;x\u0007`), "selectors": wrapped(text, 1, "\ufe0f"), "fillers": wrapped(text, 1, "\u3164\u034f"),
	}
}

func TestString_PartedLetters(t *testing.T) {
	r := New([]string{secret})
	for form, text := range map[string]string{
		"plain": secret, "base64": base64.StdEncoding.EncodeToString([]byte(secret)), "hex": hex.EncodeToString([]byte(secret)),
	} {
		for name, in := range partings(text) {
			if got, n := r.Known("a " + in + " b"); got != "a "+Mask+" b" || n != 1 {
				t.Errorf("%s parted by %s: Known(%q) = %q, %d, want it masked once", form, name, in, got, n)
			}
		}
	}
	long := strings.Repeat("text before it, ", 20) + secret + strings.Repeat(", text behind it", 20)
	for shift := range 60 {
		in := wrapped(base64.StdEncoding.EncodeToString([]byte(long[shift:])), 76, "\n")
		if got := r.String(in); strings.Count(got, Mask) != 1 {
			t.Errorf("String of wrapped base64, %d bytes less before it, = %s, want the secret masked", shift, got)
		}
	}
	for _, plain := range []string{"sk-test-A1b2\n\n", "C:\\new\\tab\r\n", "a\tb\n  c"} {
		if got := r.String(plain); got != plain {
			t.Errorf("String(%q) = %q, want it unchanged", plain, got)
		}
	}
}

func TestString_ReferencesAndDoubleEscapes(t *testing.T) {
	const secret = `sk-test/"A1'<b2>\ü-0`
	r := New([]string{secret})
	var decimal, hexadecimal, upper string
	for _, c := range secret {
		decimal += fmt.Sprintf("&#%d;", c)
		hexadecimal += fmt.Sprintf("&#x%x;", c)
		upper += fmt.Sprintf("&#x%X;", c)
	}
	once, _ := json.Marshal(secret)
	twice, _ := json.Marshal(string(once))
	for name, form := range map[string]string{
		"decimal": decimal, "hexadecimal": hexadecimal, "upper case": upper,
		"signs alone":    `sk-test/&#x22;A1&#x27;&#x3c;b2&#x3e;\ü-0`,
		"JSON":           strings.Trim(string(once), `"`),
		"JSON in JSON":   strings.TrimSuffix(strings.TrimPrefix(string(twice), `"\"`), `\""`),
		"units in JSON":  `\\u0073\\u006b\\u002d\\u0074\\u0065\\u0073\\u0074\\u002f\\u0022\\u0041\\u0031\\u0027\\u003c\\u0062\\u0032\\u003e\\u005c\\u00fc\\u002d\\u0030`,
		"slashes of PHP": `sk-test\\/\\\"A1'<b2>\\\\\\u00fc-0`,
	} {
		if got := r.String("a " + form + " b"); got != "a "+Mask+" b" {
			t.Errorf("%s: String(%s) = %s, want it masked", name, form, got)
		}
	}
}

// Whatever the pieces in which a text comes, what is parted is found.
func TestWriter_PartedOverPieces(t *testing.T) {
	r := New([]string{secret})
	encoded := base64.StdEncoding.EncodeToString([]byte("before " + secret + " behind"))
	for name, text := range map[string]string{
		"lines": "first\n" + wrapped(secret, 9, "\n") + "\nlast\n", "base64": "first\n" + wrapped(encoded, 24, "\n") + "\nlast\n",
		"across the cut": strings.Repeat("x", maxHeld+300) + wrapped(secret, 3, "\t") + strings.Repeat("y", 500) + "\n",
		"many tabs":      strings.Repeat("x", maxHeld+20) + wrapped(secret, 1, "\t") + strings.Repeat("y", 500) + "\n",
	} {
		for _, size := range []int{1, 10, 100, 1000, maxHeld + 1, len(text)} {
			var out bytes.Buffer
			w := NewWriter(&out, r)
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				if len(text) > maxHeld && size < 1000 {
					size = 1000
				}
				_, _ = io.WriteString(w, rest[:min(size, len(rest))])
			}
			_ = w.Close()
			got := out.String()
			if strings.Count(got, Mask) != 1 || strings.Contains(got, "d4+e5") || !strings.HasSuffix(got, text[len(text)-5:]) {
				t.Errorf("%s in pieces of %d: Writer wrote %.200q, want the secret masked once", name, size, strings.Trim(got, "xy"))
			}
		}
	}
}

// A line that is whole is not held back for what may follow.
func TestWriter_WholeLinesPass(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, New([]string{secret}))
	for _, line := range []string{"ready\n", "sk-te\n", "password? s\n"} {
		_, _ = io.WriteString(w, line)
		if got := out.String(); got != line {
			t.Errorf("after %q: Writer wrote %q", line, got)
		}
		out.Reset()
	}
}

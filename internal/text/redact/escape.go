package redact

import (
	"html"
	"strconv"
	"strings"
)

const (
	// maxNested is how often an escape may be escaped itself.
	maxNested = 2
	// maxUnits is how many characters of an escape may be escaped themselves,
	// behind its first.
	maxUnits = 10
	// maxReference is the longest reference of XML that is read, its & and ; left
	// out.
	maxReference = 32
)

// escape returns what the escape stands for that s begins with, and how many
// bytes it takes; 0 for none. It reads %XX, also escaped again, \uXXXX and \xXX
// behind any number of backslashes, and references of XML and HTML, in all
// spellings of their numbers. Other backslashes stand for nothing: they are
// dropped, with the b, f, n, r or t behind them.
func escape(s string, nested int) (out string, n int) {
	switch s[0] {
	case '%':
		out, n = percentEscape(s)
	case '&':
		out, n = reference(s)
	case '\\':
		out, n = backslashes(s)
	}
	if nested == 0 || n == len(s) || out != "%" && out != "&" && out != `\` {
		return out, n
	}
	if inner, m := escapeOfEscape(out, s[n:], nested-1); m > 0 {
		return inner, n + m
	}
	return out, n
}

// escapeOfEscape reads an escape whose first character, first, was escaped, and
// returns how many bytes of rest belong to it.
func escapeOfEscape(first, rest string, nested int) (out string, n int) {
	inner := first
	ends := make([]int, 1, maxUnits)
	for at := 0; at < len(rest) && len(ends) <= maxUnits; {
		c, m := rest[at:at+1], 1
		switch c[0] {
		case '%', '&', '\\':
			if out, size := escape(rest[at:], nested); size > 0 {
				c, m = out, size
			}
		}
		if len(c) != 1 || !goesOn(first[0], c[0]) {
			break
		}
		at += m
		ends = append(ends, at)
		inner += c
	}
	if out, n = escape(inner, 0); n < 2 { // no more than it was
		return "", 0
	}
	return out, ends[n-1]
}

// goesOn reports whether c may stand in an escape that begins with first.
func goesOn(first, c byte) bool {
	return isHex(c) || first != '%' && 'a' <= c|0x20 && c|0x20 <= 'z' || first == '&' && (c == '#' || c == ';')
}

// percentEscape reads an escape of URLs.
func percentEscape(s string) (string, int) {
	n := 1
	for n+4 <= len(s) && s[n:n+2] == "25" && isHex(s[n+2]) && isHex(s[n+3]) {
		n += 2
	}
	if n+2 > len(s) || !isHex(s[n]) || !isHex(s[n+1]) {
		return "", 0
	}
	b, _ := strconv.ParseUint(s[n:n+2], 16, 8)
	return string([]byte{byte(b)}), n + 2
}

// reference reads a reference of XML or HTML, by number or name.
func reference(s string) (string, int) {
	name, _, ok := strings.Cut(s[1:min(len(s), maxReference+2)], ";")
	if !ok || strings.Trim(strings.ToLower(name), "#0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return "", 0
	}
	whole := s[:len(name)+2]
	if out := html.UnescapeString(whole); out != whole {
		return out, len(whole)
	}
	return "", 0
}

// backslashes reads backslashes and what they escape.
func backslashes(s string) (string, int) {
	n := 0
	for n < len(s) && s[n] == '\\' {
		n++
	}
	if n == len(s) {
		return "", n
	}
	switch s[n] {
	case 'b', 'f', 'n', 'r', 't':
		return "", indented(s, n+1)
	case 'x':
		if n+3 <= len(s) && isHex(s[n+1]) && isHex(s[n+2]) {
			b, _ := strconv.ParseUint(s[n+1:n+3], 16, 8)
			return string([]byte{byte(b)}), n + 3
		}
	case 'u':
		if high := unit(s[n:]); high >= 0 {
			n += 5
			next := strings.TrimLeft(s[n:], `\`)
			if low := unit(next); high>>10 == 0xd800>>10 && low>>10 == 0xdc00>>10 && len(next) < len(s)-n {
				return string((high-0xd800)<<10 | (low - 0xdc00) + 0x10000), len(s) - len(next) + 5
			}
			return string(high), n
		}
	}
	return "", n
}

// unit returns the UTF-16 unit in uXXXX, -1 for none.
func unit(s string) rune {
	if len(s) < 5 || s[0] != 'u' {
		return -1
	}
	u, err := strconv.ParseUint(s[1:5], 16, 16)
	if err != nil {
		return -1
	}
	return rune(u)
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

package validate

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the text of a JSON string, quotes included in raw, which
// scan has read. Without escapes the result shares raw's memory. A lone
// surrogate becomes U+FFFD.
func unquote(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
	i := bytes.IndexByte(raw, '\\')
	if i < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i >= 0 {
		out = append(out, raw[:i]...)
		var n int
		out, n = appendEscape(out, raw[i:])
		raw = raw[i+n:]
		i = bytes.IndexByte(raw, '\\')
	}
	return append(out, raw...)
}

// appendEscape appends what the escape at the start of raw stands for and
// returns its length in raw.
func appendEscape(out, raw []byte) ([]byte, int) {
	switch c := raw[1]; c {
	case 'u':
		r, _ := hex4(raw)
		if low, ok := hex4(raw[6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return utf8.AppendRune(out, utf16.DecodeRune(r, low)), 12
		}
		return utf8.AppendRune(out, r), 6
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	default:
		return append(out, c), 2
	}
}

// hex4 returns the code unit of the escape \uXXXX at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case digit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

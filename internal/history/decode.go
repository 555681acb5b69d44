package history

import (
	"unicode/utf16"
	"unicode/utf8"
)

// noDigit stands in hexDigits for bytes that are no hexadecimal digit. It is
// larger than four digits can be, wherever among them it stands.
const noDigit = 1 << 16

// hexDigits are what bytes stand for as hexadecimal digits.
var hexDigits = func() (table [256]uint32) {
	for c := range table {
		table[c] = noDigit
	}
	for value, c := range "0123456789abcdef" {
		table[c] = uint32(value)
	}
	for value, c := range "ABCDEF" {
		table[c] = uint32(value) + 10
	}
	return table
}()

// codeUnit returns the number that four hexadecimal digits at the begin of b
// stand for.
func codeUnit(b []byte) (n rune, ok bool) {
	_ = b[3]
	u := hexDigits[b[0]]<<12 | hexDigits[b[1]]<<8 | hexDigits[b[2]]<<4 | hexDigits[b[3]]
	return rune(u), u < noDigit
}

// decode gives a text, of which raw is all that stands between its quotes, to
// s. The text is valid; reader.text is for those that still have to show it.
func (r *reader) decode(raw []byte, s sink) {
	s.begin()
	out := r.out[:0]
	for len(raw) > 0 {
		n := plain(raw)
		if len(out)+n >= maxPieces {
			s.add(out)
			s.add(raw[:n])
			out = out[:0]
		} else {
			out = append(out, raw[:n]...)
		}
		raw = raw[n:]
		for len(raw) > 0 && raw[0] == '\\' && len(out) < maxPieces {
			out, raw = unescape(out, raw)
		}
	}
	s.add(out)
	r.out = out
}

// unescape appends to out what the escape stands for that raw begins with, and
// returns what follows it. Half of a surrogate pair becomes U+FFFD.
func unescape(out, raw []byte) (more, rest []byte) {
	if raw[1] != 'u' {
		return append(out, escapes[raw[1]]), raw[2:]
	}
	c, _ := codeUnit(raw[2:])
	raw = raw[6:]
	switch {
	case c < utf8.RuneSelf:
		return append(out, byte(c)), raw
	case c < 0x800: // two bytes: the alphabets of Europe
		return append(out, 0xc0|byte(c>>6), 0x80|byte(c)&0x3f), raw
	case utf16.IsSurrogate(c):
		c, raw = pair(c, raw)
	}
	return utf8.AppendRune(out, c), raw
}

// pair returns the character of a pair whose first half was read, if raw goes
// on with the other one.
func pair(high rune, raw []byte) (c rune, rest []byte) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return utf8.RuneError, raw
	}
	low, _ := codeUnit(raw[2:])
	if c = utf16.DecodeRune(high, low); c == utf8.RuneError {
		return c, raw
	}
	return c, raw[6:]
}

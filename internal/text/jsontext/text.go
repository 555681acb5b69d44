package jsontext

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Pointer spells a name as a part of a JSON pointer (RFC 6901), PointerName spells
// the name that a part stands for.
var (
	Pointer     = strings.NewReplacer("~", "~0", "/", "~1")
	PointerName = strings.NewReplacer("~1", "/", "~0", "~")
)

// Unquote returns the text of a JSON string that was read, its quotes in raw. A
// lone surrogate becomes U+FFFD; bytes that are not UTF-8 stay. Without escapes
// the result shares raw's memory.
func Unquote[T Text](raw T) T {
	if body := raw[1 : len(raw)-1]; plain(body) == len(body) {
		return body
	}
	return T(AppendUnquote(make([]byte, 0, len(raw)), raw))
}

// AppendUnquote appends the text of a JSON string that was read, its quotes in
// raw, to b.
func AppendUnquote[T Text](b []byte, raw T) []byte {
	raw = raw[1 : len(raw)-1]
	for len(raw) > 0 {
		n := plain(raw)
		b = append(b, raw[:n]...)
		for raw = raw[n:]; len(raw) > 0 && raw[0] == '\\'; raw = raw[n:] {
			b, n = appendEscape(b, raw)
		}
	}
	return b
}

// short has what the escapes of one letter stand for; 0 for other bytes.
var short = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendEscape appends what the escape at the start of raw stands for and
// returns its length in raw.
func appendEscape[T Text](b []byte, raw T) ([]byte, int) {
	if raw[1] != 'u' {
		return append(b, short[raw[1]]), 2
	}
	c, _ := unit(raw)
	if utf16.IsSurrogate(c) {
		low, _ := unit(raw[6:])
		if pair := utf16.DecodeRune(c, low); pair != utf8.RuneError {
			return utf8.AppendRune(b, pair), 12
		}
	}
	return utf8.AppendRune(b, c), 6
}

// Escape returns the length of the JSON escape at the start of s, 0 when there
// is none. Each half of a surrogate pair is an escape of its own.
func Escape[T Text](s T) int {
	if len(s) < 2 || s[0] != '\\' {
		return 0
	}
	if short[s[1]] != 0 {
		return 2
	}
	if _, ok := unit(s); ok {
		return 6
	}
	return 0
}

// unit returns the UTF-16 code unit of the escape \uXXXX at the start of s.
func unit[T Text](s T) (c rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	a, b, d, e := digits16[s[2]], digits16[s[3]], digits16[s[4]], digits16[s[5]]
	if a == 0 || b == 0 || d == 0 || e == 0 {
		return 0, false
	}
	return rune(a-1)<<12 | rune(b-1)<<8 | rune(d-1)<<4 | rune(e-1), true
}

// digits16 are the values of hexadecimal digits and one; 0 for other bytes.
var digits16 = [256]uint8{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16,
	'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

const ones, highs = 0x0101010101010101, 0x8080808080808080

// word returns the eight bytes that s begins with, the first one lowest.
func word[T Text](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// zeros marks the bytes of x that are zero by their high bits. Of the marks only
// the lowest one is certain, and the other bits say nothing.
func zeros(x uint64) uint64 { return (x - ones) &^ x }

// special is zeros for the bytes of x that do not stand for themselves in a JSON
// string.
func special(x uint64) uint64 {
	return (x-ones*' ')&^x | zeros(x^ones*'"') | zeros(x^ones*'\\')
}

// plain returns how many bytes s begins with that stand for themselves in a
// JSON string: no quote, no backslash, no control character.
func plain[T Text](s T) int {
	n := 0
	for ; len(s)-n >= 8; n += 8 {
		if m := special(word(s[n:])) & highs; m != 0 {
			return n + bits.TrailingZeros64(m)/8
		}
	}
	for ; n < len(s); n++ {
		if c := s[n]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return n
}

package jsontext

import (
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
	raw = raw[1 : len(raw)-1]
	n := plain(raw)
	if n == len(raw) {
		return raw
	}
	b := make([]byte, 0, len(raw))
	for {
		b = append(b, raw[:n]...)
		for raw = raw[n:]; len(raw) > 0 && raw[0] == '\\'; raw = raw[n:] {
			b, n = appendEscape(b, raw)
		}
		if len(raw) == 0 {
			return T(b)
		}
		n = plain(raw)
	}
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
	for _, digit := range []byte(s[2:6]) {
		value := strings.IndexByte("0123456789abcdefABCDEF", digit)
		if value < 0 {
			return 0, false
		}
		if value > 15 {
			value -= 6
		}
		c = c<<4 | rune(value)
	}
	return c, true
}

// plain returns how many bytes s begins with that stand for themselves in a
// JSON string: no quote, no backslash, no control character.
func plain[T Text](s T) int {
	n := 0
	for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' {
		n++
	}
	return n
}

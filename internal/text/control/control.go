// Package control finds terminal sequences and control characters, and escapes them.
package control

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prefix returns the length of what s begins with and a terminal does not
// show: a whole sequence, a control character, tabs and line ends among them,
// or a character that changes the direction of writing. It is 0 where s begins
// with what is shown, bytes that are not UTF-8 included.
func Prefix(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if n := sequence(s, r); n > 0 {
		return n
	}
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return size
	}
	return 0
}

// sequence returns the length of the sequence that s begins with, 0 if there is
// none. r is the first character of s.
func sequence(s string, r rune) int {
	switch r {
	case 0x1b:
		return escape(s)
	case 0x9b: // CSI as one character
		return control(s, 2)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // DCS, SOS, OSC, PM, APC
		return text(s, 2)
	}
	return 0
}

// escape measures a sequence that begins with ESC.
func escape(s string) int {
	if len(s) == 1 {
		return 1
	}
	switch s[1] {
	case '[':
		return control(s, 2)
	case 'P', 'X', ']', '^', '_':
		return text(s, 2)
	}
	// Intermediate bytes, then one final byte.
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		i++
	}
	return i
}

// control measures a control sequence whose parameters begin at from: bytes
// 0x20 to 0x3f, then one final byte.
func control(s string, from int) int {
	i := from
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// text measures a sequence that carries text, up to BEL or a string
// terminator, or to what breaks it off: CAN, SUB, or the start of another sequence. One
// that goes on to the end of s takes only its opening, so that no text is hidden by it.
func text(s string, from int) int {
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0x07:
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		case c == 0x1b, c == 0x18, c == 0x1a, c == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] < 0xa0:
			return i
		}
	}
	return from
}

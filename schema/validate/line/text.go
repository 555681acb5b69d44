package line

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Eight times the same byte.
const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	blanks8 = ' ' * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

// load returns the eight bytes at i, the first one lowest; those behind the end
// of b are 0.
func load(b []byte, i int) uint64 {
	if i+8 > len(b) {
		return tail(b, i)
	}
	return binary.LittleEndian.Uint64(b[i:])
}

// tail is load at the end of b.
func tail(b []byte, i int) (w uint64) {
	for k := 0; i+k < len(b); k++ {
		w |= uint64(b[i+k]) << (8 * k)
	}
	return w
}

// zero returns the high bit of each byte of w that is 0. The lowest one is
// exact, which is all that is asked of it.
func zero(w uint64) uint64 { return (w - ones) & ^w & highs }

// special returns the high bit of each byte of w that does not stand for itself
// in a text: quotes, backslashes, controls and parts of wide characters. A byte
// that borrows from the next one is one of these, so the lowest is exact here too.
func special(w uint64) uint64 {
	return (w | (w - blanks8) | ((w ^ quotes) - ones) | ((w ^ slashes) - ones)) & highs
}

// plain returns where the first byte from i on is that does not stand for itself.
func plain(b []byte, i int) int {
	rest := b[i:]
	for len(rest) >= 8 {
		if t := special(binary.LittleEndian.Uint64(rest)); t != 0 {
			return len(b) - len(rest) + bits.TrailingZeros64(t)>>3
		}
		rest = rest[8:]
	}
	i = len(b) - len(rest)
	return i + bits.TrailingZeros64(special(tail(b, i)))>>3
}

// bounded reads a text of the contract.
func (s *Scanner) bounded(b []byte, i int, e *entry, v *value) int {
	if b[i] != '"' {
		return -1
	}
	i = s.readText(b, i+1)
	size := int64(s.size)
	if v.n = size; size > e.max || size < e.min {
		return -1
	}
	s.listed += s.size
	return i
}

// chars reads a text whose bound counts characters.
func (s *Scanner) chars(b []byte, i int, e *entry) int {
	if b[i] != '"' {
		return -1
	}
	s.behind, s.breaks = 0, false
	i = s.readText(b, i+1)
	if int64(s.size-s.behind) > e.max || s.breaks && e.kind == kindOneLine {
		return -1
	}
	s.listed += s.size
	return i
}

// readText reads a text from behind its quote.
func (s *Scanner) readText(b []byte, from int) int {
	i := plain(b, from)
	if b[i] == '"' {
		s.size = i - from
		return i + 1
	}
	return s.richText(b, from, i)
}

// richText reads the rest of a text that has more than characters of one byte.
func (s *Scanner) richText(b []byte, from, i int) int {
	shrunk := 0 // by how much escapes are longer than what they stand for
	for {
		switch c := b[i]; {
		case c == '"':
			s.size = i - from - shrunk
			return i + 1
		case c >= 0x80:
			n := wide(b, i)
			if n == 0 {
				return -1
			}
			s.behind += n - 1
			i += n
		case c != '\\':
			return -1
		case escapes[b[i+1]]:
			s.breaks = s.breaks || b[i+1] == 'n' || b[i+1] == 'r'
			shrunk++
			i += 2
		default:
			c, n := unicode(b, i)
			if n == 0 {
				return -1
			}
			size := utf8.RuneLen(c)
			s.breaks = s.breaks || c == '\n' || c == '\r'
			s.behind += size - 1
			shrunk += n - size
			i += n
		}
		if b[i] < 0x80 && b[i] != '\\' {
			i = plain(b, i)
		}
	}
}

// escapes are the bytes that a backslash makes one of.
var escapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// wide returns the length of the character of several bytes at i, 0 if it is not
// UTF-8. The LF at the end of the line is no part of one, so it reads no further.
func wide(b []byte, i int) int {
	lead := leads[b[i]-0x80]
	if b[i+1]-lead.low > lead.span || lead.size > 2 && b[i+2]&0xc0 != 0x80 || lead.size > 3 && b[i+3]&0xc0 != 0x80 {
		return 0
	}
	return int(lead.size)
}

// lead is what a first byte says of a character: its size, 0 for none, and what
// the second byte may be.
type lead struct{ size, low, span uint8 }

// leads are those of the bytes from 0x80 on.
var leads = func() (table [128]lead) {
	for c := 0xc2; c <= 0xf4; c++ {
		table[c-0x80] = lead{2, 0x80, 0x3f}
		if c >= 0xe0 {
			table[c-0x80].size = 3
		}
		if c >= 0xf0 {
			table[c-0x80].size = 4
		}
	}
	table[0xe0-0x80] = lead{3, 0xa0, 0x1f}
	table[0xed-0x80] = lead{3, 0x80, 0x1f}
	table[0xf0-0x80] = lead{4, 0x90, 0x2f}
	table[0xf4-0x80] = lead{4, 0x80, 0x0f}
	return table
}()

// unicode returns the character that the escape of four digits at i stands for,
// or the two that make a pair, and their length; 0 for none of these.
func unicode(b []byte, i int) (c rune, n int) {
	c = unit(load(b, i))
	switch {
	case c < 0:
		return 0, 0
	case !utf16.IsSurrogate(c):
		return c, 6
	}
	if c = utf16.DecodeRune(c, unit(load(b, i+6))); c == utf8.RuneError {
		return 0, 0
	}
	return c, 12
}

// unit returns the number of the escape that w begins with, -1 if it is none.
func unit(w uint64) (c rune) {
	if w&0xffff != '\\'|'u'<<8 {
		return -1
	}
	for k := 16; k < 48; k += 8 {
		digit := rune(hex[byte(w>>k)])
		if digit == 0 {
			return -1
		}
		c = c<<4 | (digit - 1)
	}
	return c
}

// hex has each hexadecimal digit's value and 1, and 0 for other bytes.
var hex = [256]uint8{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16, 'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

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
	quotes  = '"' * ones
	slashes = '\\' * ones
	// Controls and quotes are those below '!' if this bit is the other way round.
	controls, bit1 = '!' * ones, 2 * ones
)

// load returns the eight bytes at i, the first one lowest; those behind the end
// of b, which is that of its capacity too, are 0. Of a slice with both bounds the
// compiler makes one address, and of b[i:] four instructions.
func load(b []byte, i int) uint64 {
	if i+8 > cap(b) {
		return tail(b, i)
	}
	return binary.LittleEndian.Uint64(b[i : i+8])
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
	return (w | ((w ^ plain.bit1) - plain.controls) | ((w ^ plain.slashes) - plain.ones)) & plain.highs
}

// plain has the constants of special, which the compiler would load anew for each
// word: read from memory they take a fifth less time.
var plain = struct{ bit1, controls, slashes, ones, highs uint64 }{bit1, controls, slashes, ones, highs}

// chars reads a text whose bound counts characters.
func (s *Scanner) chars(b []byte, i int, e *entry) int {
	if b[i] != '"' {
		return -1
	}
	s.behind, s.escaped = 0, 0
	i, size := s.readText(b, i+1)
	if int64(size-s.behind) > e.max || s.escaped&breaks != 0 && e.kind == kindOneLine {
		return -1
	}
	s.listed += size
	return i
}

// readText reads a text from behind its quote, and returns where it ends and its
// size when decoded.
func (s *Scanner) readText(b []byte, from int) (end, size int) {
	i := from
	for i+16 <= cap(b) {
		p := (*[16]byte)(b[i : i+16])
		t := special(binary.LittleEndian.Uint64(p[:8]))
		if t == 0 {
			if t = special(binary.LittleEndian.Uint64(p[8:])); t == 0 {
				i += 16
				continue
			}
			i += 8
		}
		if at := i + bits.TrailingZeros64(t)>>3; b[at] == '"' {
			return at + 1, at - from
		}
		break
	}
	return s.richText(b, from, i)
}

// richText is readText from the word at i on, for a text that has more than
// characters of one byte. What a word holds is found in it alone, so that the next
// one need not wait for that.
func (s *Scanner) richText(b []byte, from, i int) (end, size int) {
	shrunk, kinds := 0, uint8(0) // shrunk is by how much escapes are longer than what they stand for
	for {
		w := load(b, i)
		t := special(w)
	word:
		for t != 0 {
			at := bits.TrailingZeros64(t) &^ 7
			switch c := byte(w >> at); {
			case c == '\\' && at < 56 && escapes[byte(w>>(at+8))] > 0:
				kinds |= escapes[byte(w>>(at+8))]
				shrunk++
				t &^= 0xffff << at
			case c == '"':
				i += at >> 3
				s.escaped |= kinds
				return i + 1, i - from - shrunk
			case c == '\\':
				n, less := s.escape(b, i+at>>3)
				if n == 0 {
					return -1, 0
				}
				shrunk += less
				i += at>>3 + n - 8
				break word
			case c >= 0x80:
				if i = s.wideText(b, i+at>>3); i < 0 {
					return -1, 0
				}
				i -= 8
				break word
			case c < ' ':
				return -1, 0
			default: // special was wrong about it
				t &= t - 1
			}
		}
		i += 8
	}
}

// escape reads the escape at i and returns its length, 0 if it is none, and by how
// much it is longer than what it stands for.
func (s *Scanner) escape(b []byte, i int) (n, less int) {
	if k := escapes[b[i+1]]; k > 0 {
		s.escaped |= k
		return 2, 1
	}
	c, n := unicode(b, i)
	if n == 0 {
		return 0, 0
	}
	if c == '\n' || c == '\r' {
		s.escaped |= breaks
	}
	size := utf8.RuneLen(c)
	s.behind += size - 1
	return n, n - size
}

// wideText returns where the characters of several bytes end that start at i.
func (s *Scanner) wideText(b []byte, i int) int {
	for {
		w := load(b, i)
		if byte(w) < 0x80 {
			return i
		}
		n := wide(w)
		if n == 0 {
			return -1
		}
		s.behind += n - 1
		i += n
	}
}

// escapes are the bytes that a backslash makes one of; those of CR and LF are breaks.
var escapes = [256]uint8{'"': 1, '\\': 1, '/': 1, 'b': 1, 'f': 1, 'n': breaks, 'r': breaks, 't': 1}

const breaks = 2

// wide returns the length of the character of several bytes that w begins with, 0
// if it is not UTF-8. Of three bytes it is neither one that has a shorter form nor
// a surrogate, of four neither that nor beyond the last.
func wide(w uint64) int {
	switch {
	case w&0xc0e0 == 0x80c0 && w&0x1e != 0:
		return 2
	case w&0xc0c0f0 == 0x8080e0 && w&0x200f != 0 && w&0x200f != 0x200d:
		return 3
	case w&0xc0c0c0f8 == 0x808080f0 && w&0x3007 != 0 && (w&7 < 4 || w&0x3007 == 4):
		return 4
	}
	return 0
}

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

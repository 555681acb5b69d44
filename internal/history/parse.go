package history

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxShort bounds keys and the values that are needed whole.
	maxShort = 1 << 10
	// maxPieces is how much of a text is put together before it is handed on.
	maxPieces = 1 << 10
	// maxDepth bounds values within values.
	maxDepth = 64
)

// short is a sink for a text that is needed whole.
type short struct {
	text []byte
	over bool // it was longer than maxShort
}

func (s *short) begin() { s.text, s.over = s.text[:0], false }

func (s *short) add(piece []byte) {
	if s.over = s.over || len(s.text)+len(piece) > maxShort; !s.over {
		s.text = append(s.text, piece...)
	}
}

// record reads one object and reports whether it is a record: JSON with the
// members that each line has. Members that are not known are read over.
func (r *reader) record(h *head, content sink) bool {
	r.blank()
	ok := r.object(0, func() bool { return r.member(h, content) })
	return ok && r.seen == members{true, true, true, true}
}

// member reads the value of the member whose key was read last.
func (r *reader) member(h *head, content sink) bool {
	switch string(r.short.text) {
	case "v":
		r.seen.v = r.literal() && string(r.short.text) == "1"
		return r.seen.v
	case "ts":
		r.seen.ts = r.text(&r.short) && !r.short.over && h.ts.UnmarshalText(r.short.text) == nil
		return r.seen.ts
	case "role":
		if !r.text(&r.short) || r.short.over {
			return false
		}
		h.role, r.seen.role = roleNamed(r.short.text)
		return r.seen.role
	case "content":
		r.seen.content = r.text(content)
		return r.seen.content
	}
	return r.value(1)
}

// object reads an object and calls member for each key, which stands in
// r.short, to read the value.
func (r *reader) object(depth int, member func() bool) bool {
	if depth > maxDepth || !r.eat('{') {
		return false
	}
	if r.blank(); r.eat('}') {
		return true
	}
	for {
		if r.blank(); !r.text(&r.short) {
			return false
		}
		if r.blank(); !r.eat(':') {
			return false
		}
		if r.blank(); !member() {
			return false
		}
		if r.blank(); !r.eat(',') {
			return r.eat('}')
		}
	}
}

// value reads any value over.
func (r *reader) value(depth int) bool {
	switch c, _ := r.peek(); c {
	case '"':
		return r.text(nil)
	case '{':
		return r.object(depth, func() bool { return r.value(depth + 1) })
	case '[':
		return r.list(depth)
	}
	return r.literal()
}

func (r *reader) list(depth int) bool {
	if depth > maxDepth || !r.eat('[') {
		return false
	}
	if r.blank(); r.eat(']') {
		return true
	}
	for {
		if r.blank(); !r.value(depth + 1) {
			return false
		}
		if r.blank(); !r.eat(',') {
			return r.eat(']')
		}
	}
}

// literal reads a number, true, false or null into r.short.
func (r *reader) literal() bool {
	r.short.begin()
	for {
		c, ok := r.peek()
		if !ok || c <= ' ' || c == ',' || c == '}' || c == ']' {
			return !r.short.over && json.Valid(r.short.text)
		}
		if c == '"' || c == '{' || c == '[' {
			return false
		}
		r.short.add(r.buf[r.at : r.at+1])
		r.at++
	}
}

// blank takes blanks; a line feed is none, it ends the line.
func (r *reader) blank() {
	for {
		if c, ok := r.peek(); !ok || c != ' ' && c != '\t' && c != '\r' {
			return
		}
		r.at++
	}
}

// text reads a text and gives it, decoded, to s, which may be nil. Bytes that
// are not UTF-8 pass. Short pieces are put together first: most texts with
// escapes have many.
func (r *reader) text(s sink) bool {
	if !r.eat('"') {
		return false
	}
	if s == nil {
		s = nowhere{}
	}
	s.begin()
	r.out = r.out[:0]
	for {
		if r.at == r.end && !r.fill() {
			return false
		}
		piece := r.buf[r.at:r.end]
		n := plain(piece)
		r.at += n
		if len(r.out)+n > maxPieces {
			s.add(r.out)
			s.add(piece[:n])
			r.out = r.out[:0]
		} else {
			r.out = append(r.out, piece[:n]...)
		}
		if n == len(piece) {
			continue
		}
		r.at++
		switch piece[n] {
		case '"':
			s.add(r.out)
			return true
		case '\\':
			if !r.escape() {
				return false
			}
		default: // a control character
			r.at--
			return false
		}
	}
}

// nowhere is a sink that keeps nothing.
type nowhere struct{}

func (nowhere) begin()     {}
func (nowhere) add([]byte) {}

// plain returns how many bytes b begins with that stand for themselves in a
// JSON text: no quote, no backslash, no control character.
func plain(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		quote, slash := x^ones*'"', x^ones*'\\'
		// The lowest high bit that is set marks the first special byte.
		if m := ((x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & high; m != 0 {
			return n + bits.TrailingZeros64(m)/8
		}
	}
	for ; n < len(b); n++ {
		if c := b[n]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return n
}

// escapes are the one-letter escapes of JSON.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what follows a backslash.
func (r *reader) escape() bool {
	c, ok := r.take()
	if ok && c == 'u' {
		return r.codePoint()
	}
	if !ok || escapes[c] == 0 {
		if ok {
			r.at-- // it may be the line's end
		}
		return false
	}
	r.out = append(r.out, escapes[c])
	return true
}

// codePoint reads what follows \u. Half of a surrogate pair becomes U+FFFD.
func (r *reader) codePoint() bool {
	c, ok := r.hex()
	for ok && utf16.IsSurrogate(c) {
		if !r.eat('\\') {
			c = utf8.RuneError
			break
		}
		if !r.eat('u') {
			r.out = utf8.AppendRune(r.out, utf8.RuneError)
			return r.escape()
		}
		var low rune
		low, ok = r.hex()
		if pair := utf16.DecodeRune(c, low); pair != utf8.RuneError {
			c = pair
			break
		}
		r.out = utf8.AppendRune(r.out, utf8.RuneError)
		c = low
	}
	if ok {
		r.out = utf8.AppendRune(r.out, c)
	}
	return ok
}

// hex reads four hexadecimal digits.
func (r *reader) hex() (n rune, ok bool) {
	for range 4 {
		if r.at == r.end && !r.fill() {
			return 0, false
		}
		digit := hexDigits[r.buf[r.at]]
		if digit == noDigit {
			return 0, false
		}
		n = n<<4 | rune(digit)
		r.at++
	}
	return n, true
}

package history

import "bytes"

// skipper is a sink that can tell from a text as it is written, escapes and
// all, that it need not be decoded.
type skipper interface{ skips(raw []byte) bool }

// quick reads a line that lies whole in the buffer and holds texts alone beside
// its version, as nearly all lines do. Where it returns false nothing was read,
// and the careful way is left to say what the line is.
func (r *reader) quick(h *head, content sink) bool {
	c := cursor{b: r.buf[r.at:r.end]}
	var from int // where the content begins
	var raw []byte
	for open, seen := byte('{'), (members{}); ; open = ',' {
		key, ok := c.member(open)
		if !ok {
			return false
		}
		begin := c.at
		switch {
		case string(key) == "v":
			ok, seen.v = !seen.v && c.eat('1'), true
		case string(key) == "ts":
			value, plain := c.text()
			ok, seen.ts = plain && !seen.ts && h.ts.UnmarshalText(value) == nil, true
		case string(key) == "role":
			var value []byte
			value, ok = c.text()
			ok = ok && !seen.role
			if ok {
				h.role, ok = roleNamed(value)
			}
			seen.role = true
		case string(key) == "content":
			raw, ok = c.text()
			ok = ok && !seen.content
			from, seen.content = begin, true
		default:
			_, ok = c.text()
		}
		if !ok {
			return false
		}
		if c.eat('}') {
			if seen != (members{true, true, true, true}) || !c.eat('\n') {
				return false
			}
			break
		}
	}
	end := r.at + c.at
	if s, ok := content.(skipper); content != nil && !(ok && s.skips(raw)) {
		r.at += from
		r.blank()
		r.text(content) // it is whole and valid
	}
	r.at = end
	return true
}

// cursor is a place in what is in the buffer.
type cursor struct {
	b  []byte
	at int
}

// eat takes the byte c, and blanks before it.
func (c *cursor) eat(want byte) bool {
	for c.at < len(c.b) {
		switch got := c.b[c.at]; got {
		case want:
			c.at++
			return true
		case ' ', '\t', '\r':
			c.at++
		default:
			return false
		}
	}
	return false
}

// member takes what comes before a value: the sign that opens or separates,
// the key and the colon.
func (c *cursor) member(open byte) (key []byte, ok bool) {
	if !c.eat(open) {
		return nil, false
	}
	key, ok = c.text()
	return key, ok && c.eat(':')
}

// text takes a text and returns it as it is written, without its quotes. The
// keys and values that are compared have no escapes; with one they are another.
func (c *cursor) text() (raw []byte, ok bool) {
	if !c.eat('"') {
		return nil, false
	}
	begin := c.at
	for {
		c.at += plain(c.b[c.at:])
		if c.at == len(c.b) {
			return nil, false
		}
		switch c.b[c.at] {
		case '"':
			c.at++
			return c.b[begin : c.at-1], true
		case '\\':
			if !c.escape() {
				return nil, false
			}
		default:
			return nil, false
		}
	}
}

// escape takes an escape.
func (c *cursor) escape() bool {
	rest := c.b[c.at+1:]
	switch {
	case len(rest) > 0 && escapes[rest[0]] != 0:
		c.at += 2
		return true
	case len(rest) >= 5 && rest[0] == 'u':
		for _, digit := range rest[1:5] {
			if _, ok := hexValue(digit); !ok {
				return false
			}
		}
		c.at += 6
		return true
	}
	return false
}

// hexValue returns what a hexadecimal digit stands for.
func hexValue(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}

// gatherLine makes the buffer hold the next line whole if it has room for it.
func (r *reader) gatherLine() {
	for r.err == nil && bytes.IndexByte(r.buf[r.at:r.end], '\n') < 0 && r.end-r.at < len(r.buf) {
		if r.ctx.Err() != nil {
			return // whoever needs more is told
		}
		r.base += int64(r.at)
		r.end = copy(r.buf, r.buf[r.at:r.end])
		r.at = 0
		var n int
		n, r.err = r.src.Read(r.buf[r.end:])
		r.end += n
	}
}

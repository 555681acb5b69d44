package history

import "bytes"

// escaping is the kind of escapes that a text is written with.
type escaping int

const (
	escapedNone    escaping = iota
	escapedLetters          // of one letter alone
	escapedNumbers          // by the numbers of characters too
)

// skipper is a sink that can tell from a text as it is written, escapes and
// all, that it need not be decoded.
type skipper interface {
	skips(raw []byte, how escaping) bool
}

// quick reads a line that lies whole in the buffer and holds texts alone beside
// its version, as nearly all lines do. Where it returns false nothing was read,
// and the careful way is left to say what the line is.
func (r *reader) quick(h *head, content sink) bool {
	q := quickLine{cursor: cursor{b: r.buf[r.at:r.end]}}
	for open := byte('{'); !q.eat('}'); open = ',' {
		if !q.member(open, h) {
			return false
		}
	}
	if q.seen != (members{true, true, true, true}) || !q.eat('\n') {
		return false
	}
	end := r.at + q.at
	if s, ok := content.(skipper); content != nil && !(ok && s.skips(q.content, q.how)) {
		r.decode(q.content, content)
	}
	r.at = end
	return true
}

// quickLine is a line that is read the quick way.
type quickLine struct {
	cursor
	seen    members
	content []byte
	how     escaping // the content is written
}

// member reads a member behind the sign that comes before it. What is written
// with escapes, or twice, is not for here.
func (q *quickLine) member(open byte, h *head) bool {
	key, ok := q.key(open)
	if !ok || q.escaping != escapedNone {
		return false
	}
	if string(key) == "v" {
		return once(&q.seen.v) && q.eat('1')
	}
	value, ok := q.text()
	switch string(key) {
	case "ts":
		return ok && once(&q.seen.ts) && h.ts.UnmarshalText(value) == nil
	case "role":
		h.role, ok = roleNamed(value)
		return ok && once(&q.seen.role)
	case "content":
		q.content, q.how = value, q.escaping
		return ok && once(&q.seen.content)
	}
	return ok
}

// once sets a mark and reports whether it was not set.
func once(seen *bool) bool {
	again := *seen
	*seen = true
	return !again
}

// cursor is a place in what is in the buffer.
type cursor struct {
	b  []byte
	at int
	// escaping is that of the last text.
	escaping escaping
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

// key takes what comes before a value: the sign that opens or separates, the
// key and the colon.
func (c *cursor) key(open byte) (key []byte, ok bool) {
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
	c.escaping = escapedNone
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

// escape takes an escape, or a run of those by number: in a text of another
// alphabet one follows the other.
func (c *cursor) escape() bool {
	b, at := c.b, c.at
	for len(b)-at >= 6 && b[at] == '\\' && b[at+1] == 'u' {
		if _, ok := codeUnit(b[at+2:]); !ok {
			return false
		}
		at += 6
	}
	switch {
	case at > c.at:
		c.at, c.escaping = at, escapedNumbers
		return true
	case len(b)-at >= 2 && escapes[b[at+1]] != 0:
		c.at, c.escaping = at+2, max(c.escaping, escapedLetters)
		return true
	}
	return false
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

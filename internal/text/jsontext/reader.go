// Package jsontext reads and writes JSON strictly: where values begin and end, what
// strings contain, and encoding without HTML escapes.
package jsontext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is what JSON is read from.
type Text interface{ string | []byte }

// Fault is why a text at some place is no JSON value.
type Fault int

// The faults. A text that ends inside a value may have been cut; the others
// cannot be mended by more text.
const (
	FaultNone Fault = iota
	FaultEnd
	FaultSyntax
	FaultDepth
)

// MaxDepth is how many brackets encoding/json lets be open inside of each other.
const MaxDepth = 10000

// Reader reads JSON values of Src from Pos on, as RFC 8259 has them and in time
// linear in them. The first fault stops it for good: Pos is then at the byte
// that cannot stand there. Bytes that are not UTF-8 pass in strings, as do lone
// surrogates and repeated names; Notes is for those who check them.
type Reader[T Text] struct {
	Src   T
	Pos   int
	Room  int // how many brackets may be opened inside of each other from here
	Fault Fault
	Notes *Notes // nil when nobody asks

	escaped bool // the last string has an escape
}

// Notes are the offsets of what Skip read over; 0 for none, since no value
// begins with these.
type Notes struct {
	Surrogate int // the first escape that leaves a lone surrogate
	Repeated  int // the first name that stands twice in one object
	// Costly is where the first number becomes costly to compute: the digits of an
	// exponent that has more than three, or the end of more than 1000 characters.
	Costly int
}

// Skip reads the value at Pos and reports whether there is one. Blanks before
// it are the caller's.
func (r *Reader[T]) Skip() bool {
	if r.Fault != FaultNone {
		return false
	}
	switch c := r.Peek(); c {
	case '"':
		return r.text()
	case '{':
		return r.object()
	case '[':
		return r.list()
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		if c == '-' || digit(c) {
			return r.number()
		}
		return r.stop()
	}
}

// Whole reads the only value of Src, blanks around it, and reports whether it
// is one.
func (r *Reader[T]) Whole() bool {
	r.Blanks()
	if !r.Skip() {
		return false
	}
	r.Blanks()
	return r.Pos == len(r.Src)
}

// Members reads the object at Pos and yields the name of each member, decoded;
// the body of the loop has to read the value, which is at Pos. A fault ends the
// loop.
func (r *Reader[T]) Members() func(yield func(name T) bool) {
	return func(yield func(T) bool) {
		for more := r.enter('{'); more; more = r.next('}') {
			name, ok := r.name()
			if !ok {
				return
			}
			if r.escaped {
				name = Unquote(name)
			} else {
				name = name[1 : len(name)-1]
			}
			if !yield(name) || r.Fault != FaultNone {
				return
			}
		}
	}
}

// Items is Members for the items of a list.
func (r *Reader[T]) Items() func(yield func() bool) {
	return func(yield func() bool) {
		for more := r.enter('['); more; more = r.next(']') {
			if !yield() || r.Fault != FaultNone {
				return
			}
		}
	}
}

// object reads an object, and notes a repeated name if asked.
func (r *Reader[T]) object() bool {
	var names map[string]bool
	if r.Notes != nil && r.Notes.Repeated == 0 {
		names = map[string]bool{}
	}
	for more := r.enter('{'); more; more = r.next('}') {
		at := r.Pos
		name, ok := r.name()
		if !ok {
			return false
		}
		if names != nil {
			own := string(Unquote(name))
			if names[own] && r.Notes.Repeated == 0 {
				r.Notes.Repeated = at
			}
			names[own] = true
		}
		if !r.Skip() {
			return false
		}
	}
	return r.Fault == FaultNone
}

// list reads a list.
func (r *Reader[T]) list() bool {
	for more := r.enter('['); more; more = r.next(']') {
		if !r.Skip() {
			return false
		}
	}
	return r.Fault == FaultNone
}

// enter reads an opening bracket and reports whether an element follows.
func (r *Reader[T]) enter(opener byte) bool {
	switch {
	case r.Fault != FaultNone:
		return false
	case r.Peek() != opener:
		return r.stop()
	case r.Room <= 0:
		r.Fault = FaultDepth
		return false
	}
	r.Pos++
	r.Room--
	r.Blanks()
	return !r.leave(opener + 2) // in ASCII, what closes it
}

// leave reads the closing bracket if it is there.
func (r *Reader[T]) leave(closer byte) bool {
	if !r.eat(closer) {
		return false
	}
	r.Room++
	return true
}

// next reads what follows an element and reports whether another one comes.
func (r *Reader[T]) next(closer byte) bool {
	r.Blanks()
	if r.leave(closer) {
		return false
	}
	if !r.eat(',') {
		return r.stop()
	}
	r.Blanks()
	return true
}

// name reads the name of a member, as it is written, and the colon.
func (r *Reader[T]) name() (raw T, ok bool) {
	at := r.Pos
	if r.Peek() != '"' {
		return raw, r.stop()
	}
	if !r.text() {
		return raw, false
	}
	raw = r.Src[at:r.Pos]
	r.Blanks()
	if !r.eat(':') {
		return raw, r.stop()
	}
	r.Blanks()
	return raw, true
}

// text reads a string.
func (r *Reader[T]) text() bool {
	r.Pos++
	r.escaped = false
	for {
		r.Pos += plain(r.Src[r.Pos:])
		switch r.Peek() {
		case '"':
			r.Pos++
			return true
		case '\\':
			r.escaped = true
			if r.Pos+1 < len(r.Src) && short[r.Src[r.Pos+1]] != 0 {
				r.Pos += 2
			} else if !r.escape() {
				return false
			}
		default: // a control character, or the end
			return r.stop()
		}
	}
}

// escape reads one escape, or both halves of a surrogate pair.
func (r *Reader[T]) escape() bool {
	rest := r.Src[r.Pos:]
	if c, ok := unit(rest); ok {
		if utf16.IsSurrogate(c) {
			r.surrogate(c, rest[6:])
		}
		r.Pos += 6
		return true
	}
	n := Escape(rest)
	r.Pos += n
	return n > 0 || r.noEscape(rest)
}

// surrogate reads the other half of a pair, if rest has it.
func (r *Reader[T]) surrogate(c rune, rest T) {
	if low, ok := unit(rest); ok && utf16.DecodeRune(c, low) != '\ufffd' {
		r.Pos += 6
	} else if r.Notes != nil && r.Notes.Surrogate == 0 {
		r.Notes.Surrogate = r.Pos
	}
}

// noEscape notes that the backslash before rest begins nothing, unless the text
// ends too soon to say so.
func (r *Reader[T]) noEscape(rest T) bool {
	r.stop()
	if len(rest) < 6 && !strings.ContainsAny(string(rest), "\"\n") {
		r.Fault = FaultEnd
	}
	if len(rest) == 1 {
		r.Pos++
	}
	return false
}

// number reads a number as JSON writes it: no leading zero, plus or bare point.
func (r *Reader[T]) number() bool {
	from := r.Pos
	r.eat('-')
	if !r.eat('0') && !r.digits() || r.eat('.') && !r.digits() {
		return false
	}
	exponent := r.Pos
	if r.eat('e') || r.eat('E') {
		if !r.eat('+') {
			r.eat('-')
		}
		if exponent = r.Pos; !r.digits() {
			return false
		}
	}
	switch {
	case r.Notes == nil || r.Notes.Costly > 0:
	case r.Pos-exponent > 3:
		r.Notes.Costly = exponent
	case r.Pos-from > 1000:
		r.Notes.Costly = r.Pos
	}
	return true
}

// digits reads at least one.
func (r *Reader[T]) digits() bool {
	from := r.Pos
	for digit(r.Peek()) {
		r.Pos++
	}
	return r.Pos > from || r.stop()
}

// literal reads true, false or null.
func (r *Reader[T]) literal(word string) bool {
	rest := r.Src[r.Pos:min(len(r.Src), r.Pos+len(word))]
	switch {
	case string(rest) == word:
		r.Pos += len(word)
		return true
	case strings.HasPrefix(word, string(rest)):
		r.Fault = FaultEnd
	default:
		r.Fault = FaultSyntax
	}
	return false
}

// stop notes that the byte at Pos, or the end, cannot stand there.
func (r *Reader[T]) stop() bool {
	r.Fault = FaultSyntax
	if r.Pos >= len(r.Src) {
		r.Fault = FaultEnd
	}
	return false
}

// Peek returns the byte at Pos, 0 at the end: no JSON value holds a raw NUL.
func (r *Reader[T]) Peek() byte {
	if r.Pos < len(r.Src) {
		return r.Src[r.Pos]
	}
	return 0
}

// Blanks moves over what JSON allows between tokens.
func (r *Reader[T]) Blanks() {
	for r.Pos < len(r.Src) && Blank(r.Src[r.Pos]) {
		r.Pos++
	}
}

// eat moves over c if it stands at Pos.
func (r *Reader[T]) eat(c byte) bool {
	if r.Peek() != c {
		return false
	}
	r.Pos++
	return true
}

// Blank reports whether JSON allows c between tokens.
func Blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// Position returns line and column of an offset, counted from 1 in characters.
func Position(src string, at int) (line, column int) {
	before := src[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

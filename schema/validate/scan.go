package validate

import (
	"bytes"
	"unicode/utf16"

	"github.com/openagent-ci/openagent/schema"
)

// scan reads one JSON value without building it. It stops at the first syntax
// fault or at the first bracket nested too deep, so that its recursion is
// bounded; lone surrogates and repeated keys are noted and read over. Its cost
// is linear in the line.
type scan struct {
	src []byte
	pos int

	depth int
	deep  bool // stopped by a bracket nested too deep, at pos
	// surrogate and repeated are offsets of the first such fault, or -1.
	surrogate int
	repeated  int
}

// newScan returns a scan at the beginning of src.
func newScan(src []byte) *scan { return &scan{src: src, surrogate: -1, repeated: -1} }

// value reads the value at pos. When it returns false, pos is at the byte that
// cannot stand there.
func (s *scan) value() bool {
	switch c := s.peek(); {
	case c == '{':
		return s.nested(s.object)
	case c == '[':
		return s.nested(s.array)
	case c == '"':
		return s.text()
	case c == '-' || digit(c):
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return false
}

// nested reads what follows an opening bracket, unless that is one too many.
func (s *scan) nested(read func() bool) bool {
	if s.depth == schema.MaxDepth {
		s.deep = true
		return false
	}
	s.depth++
	s.pos++
	s.blanks()
	ok := read()
	s.depth--
	return ok
}

// object reads members up to the closing brace. The first repeated key is
// enough, since the line is lost with it.
func (s *scan) object() bool {
	if s.take('}') {
		return true
	}
	var keys keySet
	for {
		at := s.pos
		if s.peek() != '"' || !s.text() {
			return false
		}
		if s.repeated < 0 && keys.add(unquote(s.src[at:s.pos])) {
			s.repeated = at
		}
		s.blanks()
		if !s.take(':') {
			return false
		}
		s.blanks()
		if !s.value() {
			return false
		}
		s.blanks()
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
		s.blanks()
	}
}

// fewKeys is the size up to which an object's keys are compared one by one.
const fewKeys = 16

// keySet holds the keys of one object, escapes resolved.
type keySet struct {
	few  [fewKeys][]byte
	n    int
	many map[string]struct{} // nil while few has room
}

// add returns whether name was there before.
func (k *keySet) add(name []byte) bool {
	if k.n < fewKeys {
		for _, known := range k.few[:k.n] {
			if bytes.Equal(known, name) {
				return true
			}
		}
		k.few[k.n] = name
		k.n++
		return false
	}
	if k.many == nil {
		k.many = make(map[string]struct{}, 2*fewKeys)
		for _, known := range k.few {
			k.many[string(known)] = struct{}{}
		}
	}
	_, repeated := k.many[string(name)]
	k.many[string(name)] = struct{}{}
	return repeated
}

// array reads items up to the closing bracket.
func (s *scan) array() bool {
	if s.take(']') {
		return true
	}
	for {
		if !s.value() {
			return false
		}
		s.blanks()
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
		s.blanks()
	}
}

// text reads a string. Its bytes were found to be UTF-8 before.
func (s *scan) text() bool {
	s.pos++
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return true
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c < 0x20:
			return false
		default:
			s.pos++
		}
	}
	return false
}

// escape reads one escape, or both halves of a surrogate pair.
func (s *scan) escape() bool {
	if s.pos+1 >= len(s.src) {
		s.pos = len(s.src)
		return false
	}
	if s.src[s.pos+1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), s.src[s.pos+1]) < 0 {
			return false
		}
		s.pos += 2
		return true
	}
	r, ok := hex4(s.src[s.pos:])
	if !ok {
		return false
	}
	at := s.pos
	s.pos += 6
	if !utf16.IsSurrogate(r) {
		return true
	}
	if low, ok := hex4(s.src[s.pos:]); ok && utf16.DecodeRune(r, low) != 0xfffd {
		s.pos += 6
		return true
	}
	if s.surrogate < 0 {
		s.surrogate = at
	}
	return true
}

// number reads a number as JSON writes it: no leading zero, plus or bare point.
func (s *scan) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

// digits reads at least one.
func (s *scan) digits() bool {
	start := s.pos
	for digit(s.peek()) {
		s.pos++
	}
	return s.pos > start
}

// literal reads true, false or null.
func (s *scan) literal(word string) bool {
	if !bytes.HasPrefix(s.src[s.pos:], []byte(word)) {
		return false
	}
	s.pos += len(word)
	return true
}

// peek returns the byte at pos, 0 at the end: no JSON value holds a raw NUL.
func (s *scan) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// take moves over c if it stands at pos.
func (s *scan) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// blanks moves over what JSON allows between tokens.
func (s *scan) blanks() {
	for s.peek() == ' ' || s.peek() == '\t' || s.peek() == '\n' || s.peek() == '\r' {
		s.pos++
	}
}

// digit reports whether c is an ASCII digit.
func digit(c byte) bool { return c >= '0' && c <= '9' }

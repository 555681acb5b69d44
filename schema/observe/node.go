package observe

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Bounds of what is kept of values.
const (
	maxNesting = 512   // levels of a line that is read
	maxDepth   = 16    // levels that are gathered
	maxOwn     = 128   // keys of an object that no schema names
	maxNodes   = 20000 // such keys in all
	maxWords   = 32    // words of a key; one that has more is no choice of words
)

// kind is a kind of JSON value, as JSON Schema distinguishes them.
type kind int

// The kinds, in the order in which they are printed.
const (
	kindObject kind = iota
	kindArray
	kindString
	kindInteger
	kindNumber
	kindBoolean
	kindNull
	kinds
)

var kindNames = [kinds]string{"object", "array", "string", "integer", "number", "boolean", "null"}

// kindOf returns the kind of a value that was read, by how it is written.
func kindOf(value []byte) kind {
	switch value[0] {
	case '{':
		return kindObject
	case '[':
		return kindArray
	case '"':
		return kindString
	case 't', 'f':
		return kindBoolean
	case 'n':
		return kindNull
	}
	if bytes.ContainsAny(value, ".eE") {
		return kindNumber
	}
	return kindInteger
}

// node is what was seen of one key, in all objects that hold it.
type node struct {
	spec     *spec // nil where no schema speaks of it
	children map[string]*node
	own      int   // children that no schema names
	items    *node // of arrays
	role

	count int // objects that hold the key, or values in arrays
	kinds [kinds]tally
	first place

	bytes, chars, list size // of texts, and of arrays
	least, most        size // of integers, least with the sign changed
	words              map[string]*tally
	open               bool // its texts are no choice of words

	mark int // the object of the parent in which it was counted last
}

// tally counts, and remembers where the first one was.
type tally struct {
	n  int
	at place
}

// size is the largest size that was seen, and where.
type size struct {
	n  int64
	at place
}

func (s *size) raise(n int64, at place) {
	if n > s.n || s.at == (place{}) {
		s.n, s.at = n, at
	}
}

// countKind counts a value of that kind.
func (n *node) countKind(k kind, at place) {
	if n.kinds[k].n++; n.kinds[k].n == 1 {
		n.kinds[k].at = at
	}
}

// countIn counts the key in an object of its parent, once, and reports whether its value
// is to be gathered: that of a key that stands there twice is not.
func (n *node) countIn(parent *node) bool {
	if n.mark == parent.kinds[kindObject].n {
		return n.role.others
	}
	n.mark = parent.kinds[kindObject].n
	n.count++
	return true
}

// child returns what was seen of a key, nil where there is no room for it.
func (o *Observer) child(n *node, name []byte) *node {
	if c := n.children[string(name)]; c != nil {
		return c
	}
	key, parent := string(name), n.spec.of()
	spec := parent.properties[key]
	if spec == nil {
		if spec = parent.others; spec != nil || n.folds || !isKey(key) {
			key = others
		}
		if n.own >= maxOwn && key != others {
			o.omitted.Keys++
			key = others
		}
		if c := n.children[key]; c != nil {
			return c
		}
		if o.nodes >= maxNodes {
			o.omitted.Keys++
			return nil
		}
		o.nodes++
		n.own++
	}
	if n.children == nil {
		n.children = map[string]*node{}
	}
	c := &node{spec: spec, role: roleOf(key), first: o.at}
	n.children[key] = c
	return c
}

// item returns what was seen of the values of an array, nil where there is no room
// for it.
func (o *Observer) item(n *node) *node {
	if n.items == nil {
		if n.spec.of().items == nil {
			if o.nodes >= maxNodes {
				o.omitted.Keys++
				return nil
			}
			o.nodes++
		}
		n.items = &node{spec: n.spec.of().items, role: role{choice: n.choice}, first: o.at}
	}
	n.items.count++
	return n.items
}

// value gathers a value that was read.
func (o *Observer) value(n *node, value []byte) {
	o.gather(n, &jsontext.Reader[[]byte]{Src: value, Room: maxNesting}, 1)
}

// gather reads the value that r is at, on that level.
func (o *Observer) gather(n *node, r *jsontext.Reader[[]byte], level int) {
	switch at := r.Pos; r.Peek() {
	case '{':
		n.countKind(kindObject, o.at)
		if n.shut || o.deep(level) {
			r.Skip()
			return
		}
		for name := range r.Members() {
			if c := o.child(n, name); c != nil && c.countIn(n) {
				o.gather(c, r, level+1)
			} else {
				r.Skip()
			}
		}
	case '[':
		n.countKind(kindArray, o.at)
		if o.deep(level) {
			r.Skip()
			return
		}
		o.array(n, r, level)
	case '"':
		n.countKind(kindString, o.at)
		r.Skip()
		o.string(n, r.Src[at:r.Pos])
	default:
		r.Skip()
		o.scalar(n, r.Src[at:r.Pos])
	}
}

// deep reports whether a level is the last that is gathered, and counts what is below
// it as a key.
func (o *Observer) deep(level int) bool {
	if level >= maxDepth {
		o.omitted.Keys++
	}
	return level >= maxDepth
}

// array reads the array that r is at.
func (o *Observer) array(n *node, r *jsontext.Reader[[]byte], level int) {
	length := int64(0)
	for range r.Items() {
		length++
		if item := o.item(n); item != nil {
			o.gather(item, r, level+1)
		} else {
			r.Skip()
		}
	}
	n.list.raise(length, o.at)
}

// string gathers a text.
func (o *Observer) string(n *node, value []byte) {
	text := o.word(value)
	n.bytes.raise(int64(len(text)), o.at)
	if int64(len(text)) > n.chars.n { // else there are not more characters either
		n.chars.raise(int64(utf8.RuneCount(text)), o.at)
	}
	if !n.choice || n.open {
		return
	}
	if w := n.words[string(text)]; w != nil {
		w.n++
		return
	}
	if !isWord(text) || len(n.words) >= maxWords {
		n.open, n.words = true, nil
		return
	}
	if n.words == nil {
		n.words = map[string]*tally{}
	}
	n.words[string(text)] = &tally{1, o.at}
}

// scalar gathers a number or a literal.
func (o *Observer) scalar(n *node, value []byte) {
	k := kindOf(value)
	if n.countKind(k, o.at); k != kindInteger {
		return
	}
	number, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil { // beyond the range: number is the end of it
		number = max(number, -math.MaxInt64)
	}
	n.most.raise(number, o.at)
	n.least.raise(-max(number, -math.MaxInt64), o.at)
}

package line

import "encoding/binary"

// kind is what a member must be.
type kind uint8

// The kinds. A member is of one of these or, if its entry says so, null.
const (
	kindUnknown kind = iota // what no rule of the line allows for: another one's name
	kindText                // of at most max bytes, and at least min
	kindChars               // a text of at most max characters
	kindOneLine             // the same, without CR and LF
	kindInteger             // from min to max
	kindDecimal             // a number from 0 on that need not be an integer
	kindBool                //
	kindObject              // an object of the contract
	kindList                // of at most max items
	kindCounts              // an object with names of its own, at most max of them
	kindVersion             // schema_version
	kindTime                // ts
	kindType                // type
	kindData                // data
)

// The slots: where the values go that later rules ask for. All others share the
// first.
const (
	slotNone = iota
	slotSequence
	slotStep
	slotRunID
	slotCallID
	slotDecision
	slotReason
	slotOK
	slotError
	slotText // the text that slotTruncated and slotOriginal speak of
	slotTruncated
	slotOriginal
)

// slots is how many there is room for, a power of 2.
const slots = 16

// object is an object of the contract: its members, found by the first eight
// bytes of their names.
type object struct {
	// factor makes of these bytes the place in index of an entry's number.
	factor uint64
	index  [1 << indexBits]uint8
	// entries are the members; the first is none.
	entries  []entry
	required uint32 // the bits of those that must be there
	closed   bool   // there are no others
}

// indexBits is the size of an index, so that the top bits of a product choose a
// place.
const indexBits = 6

// MaxEntries bounds the entries of all objects.
const MaxEntries = 256

// entry is a member of an object, or an item of a list.
type entry struct {
	name string
	// first has the first eight bytes of the name and its closing quote; the bytes
	// behind that are 0, as in mask. If there are more, last has the last eight,
	// which begin at the byte at.
	first, last, mask uint64
	at                uint
	next              uint8 // the entry with the same first bytes, 0 for none
	id                uint8 // its number among the entries of all objects
	slot              uint8
	kind              kind
	null              bool   // it may be null
	bit               uint32 // its bit in a set of members
	min, max          int64
	object            *object // of a kindObject, and data of a type
	item              *entry  // of a kindList
	size              int64   // bytes of all texts of a list, or names of counts
	name1             int64   // bytes of one of these names
}

// room is how many bytes behind its quote a name is compared with at once. Half of
// it is more than at is.
const room = 64

// is reports whether the name that begins at i with its quote is that of e. It
// may say no where fewer than room bytes are left.
func (e *entry) is(b []byte, i int) bool {
	if i+room > cap(b) {
		return false
	}
	p, at := (*[room]byte)(b[i:i+room]), e.at%(room/2)
	return binary.LittleEndian.Uint64(p[1:9])&e.mask == e.first && (at == 0 ||
		binary.LittleEndian.Uint64(p[at+1:at+9]) == e.last && (at <= 8 || string(p[9:at+1]) == e.name[8:at]))
}

// find returns the entry of the name that begins at i, nil for one that is not
// of the contract as it is written.
func (o *object) find(b []byte, i int) *entry {
	w := load(b, i)
	quote := zero(w ^ quotes)
	w &= quote ^ (quote - 1) // what stands behind the quote goes
	for k := o.index[w*o.factor>>(64-indexBits)]; k > 0; {
		e := &o.entries[k]
		if at := int(e.at); e.first == w && (at == 0 || e.last == load(b, i+at) && (at <= 8 || string(b[i+8:i+at]) == e.name[8:at])) {
			return e
		}
		k = e.next
	}
	return nil
}

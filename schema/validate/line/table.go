package line

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
	slotTool
	slotTotal // tool_calls of a run_finished
	slotOther // any member that the contract does not know
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

// entry is a member of an object, or an item of a list.
type entry struct {
	name     string
	first    uint64 // the first word of the name and its closing quote
	next     uint8  // the entry with the same first bytes, 0 for none
	slot     uint8
	kind     kind
	null     bool   // it may be null
	bit      uint32 // its bit in a set of members
	min, max int64
	object   *object // of a kindObject, and data of a type
	item     *entry  // of a kindList
	size     int64   // bytes of all texts of a list, or names of counts
	name1    int64   // bytes of one of these names
}

// find returns the entry of the name that begins at i, nil for one that is not
// of the contract as it is written.
func (o *object) find(b []byte, i int) *entry {
	w := load(b, i)
	quote := zero(w ^ quotes)
	w &= quote ^ (quote - 1) // what stands behind the quote goes
	for k := o.index[w*o.factor>>(64-indexBits)]; k > 0; {
		e := &o.entries[k]
		if end := i + len(e.name); e.first == w && (quote > 0 || end < len(b) && b[end] == '"' && string(b[i:end]) == e.name) {
			return e
		}
		k = e.next
	}
	return nil
}

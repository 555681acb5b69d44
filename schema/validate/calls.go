package validate

import (
	"crypto/sha256"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/openagent-ci/openagent/schema"
)

// maxCalls bounds the calls of one generation. A stream can be of any length
// and name a new call on each line, so what is remembered of them is bounded.
const maxCalls = 1 << 13

// manyCalls is from where on room is made for all of a generation at once, in place
// of copies that are twice as long each time: the keys are likely to stay as long.
const manyCalls = maxCalls / 16

// call is a tool call id and its present life.
type call struct {
	life
	hash       uint32
	from, size int32 // where its key lies among those of its generation
	moved      bool  // it is among the young ones now
}

// decision is one that takes part in the rules about calls.
type decision uint8

const (
	undecided decision = iota
	allowed
	denied
)

// life is what the id has seen from its detection or decision to the next one.
type life struct {
	started  int // line of a start that has not finished, else 0
	decision decision
	// unknown reports that the id may have been forgotten: what was decided of
	// it, or whether it runs, cannot be told.
	unknown bool
}

// calls remembers the calls of a run: the last maxCalls ids for certain, up to
// twice as many at most. Those still running are the last to be forgotten. Of
// a forgotten one nothing is said any more.
type calls struct {
	young, old *generation
	forgot     bool
	last       int // the young call that was asked for last, from 1
	seed       maphash.Seed
}

// generation is a set of calls that does not allocate once it has grown.
type generation struct {
	calls []call
	keys  []byte
	// table has by hash the number of a call from 1, 0 for none, and above its bits those
	// of the hash, so that few others are looked at. Its size is a power of 2.
	table []uint32
}

// numberBits is what the number of a call has.
const numberBits = 14

// minTable is the size of a new table.
const minTable = 64

func newCalls() calls {
	return calls{young: new(generation), old: new(generation), seed: maphash.MakeSeed()}
}

// get returns the call with that id, a new one if there is none. It is valid
// until the next call of get.
func (k *calls) get(id []byte) *call {
	if k.last > 0 {
		if c := &k.young.calls[k.last-1]; string(k.young.key(c)) == string(id) {
			return c // nearly always
		}
	}
	key := callKey(id)
	hash := uint32(maphash.Bytes(k.seed, key))
	if k.last = k.young.find(hash, key); k.last == 0 && len(k.young.calls) >= maxCalls {
		k.age()
		k.last = k.young.find(hash, key) // it may be one that runs
	}
	if k.last == 0 {
		now := life{unknown: k.forgot}
		if n := k.old.find(hash, key); n > 0 {
			c := &k.old.calls[n-1]
			now, c.moved = c.life, true
		}
		k.last = k.young.add(call{life: now, hash: hash}, key)
	}
	return &k.young.calls[k.last-1]
}

// age makes room for new calls: of the old ones only those that run remain.
func (k *calls) age() {
	forgot := k.old.clear(maxCalls / 2)
	k.forgot = k.forgot || forgot
	k.old, k.young = k.young, k.old
}

// running yields the calls that have started and not finished, with their names
// as messages quote them.
func (k *calls) running() iter.Seq2[*call, string] {
	return func(yield func(*call, string) bool) {
		for _, g := range []*generation{k.old, k.young} {
			for i := range g.calls {
				if c := &g.calls[i]; c.runs() && !yield(c, callName(g.key(c))) {
					return
				}
			}
		}
	}
}

// runs reports whether the call has started and not finished.
func (c *call) runs() bool { return c.started > 0 && !c.moved }

func (g *generation) key(c *call) []byte { return g.keys[c.from : c.from+c.size] }

// find returns the number of the call with that key, from 1, 0 for none.
func (g *generation) find(hash uint32, key []byte) int {
	for at := hash; len(g.table) > 0; at++ {
		n := g.table[at&uint32(len(g.table)-1)]
		if n == 0 {
			break
		}
		if (n^hash)>>numberBits > 0 {
			continue
		}
		n %= 1 << numberBits
		if c := &g.calls[n-1]; string(g.key(c)) == string(key) && !c.moved {
			return int(n)
		}
	}
	return 0
}

// add adds a call that is not there, and returns its number.
func (g *generation) add(c call, key []byte) int {
	c.from, c.size = int32(len(g.keys)), int32(len(key))
	size := 2 * len(g.table)
	if len(g.calls) == manyCalls {
		g.calls = slices.Grow(g.calls, maxCalls-manyCalls)
		g.keys = slices.Grow(g.keys, len(g.keys)*(maxCalls/manyCalls-1))
		size = 2 * maxCalls
	}
	g.keys = append(g.keys, key...)
	g.calls = append(g.calls, c)
	if 2*len(g.calls) > len(g.table) {
		g.table = make([]uint32, max(minTable, size))
		for i := range g.calls {
			g.place(i)
		}
	} else {
		g.place(len(g.calls) - 1)
	}
	return len(g.calls)
}

// place notes the call in the table, which has room.
func (g *generation) place(i int) {
	mask, hash := uint32(len(g.table)-1), g.calls[i].hash
	at := hash & mask
	for g.table[at] != 0 {
		at = (at + 1) & mask
	}
	g.table[at] = hash>>numberBits<<numberBits | uint32(i+1)
}

// clear leaves the first calls that run, at most so many, and reports whether
// others were there that had not moved.
func (g *generation) clear(most int) (forgot bool) {
	calls, keys := g.calls, g.keys
	clear(g.table)
	g.calls, g.keys = g.calls[:0], g.keys[:0]
	for _, c := range calls { // what is left goes no further than where it was
		if c.runs() && len(g.calls) < most {
			g.add(c, keys[c.from:c.from+c.size])
		} else {
			forgot = forgot || !c.moved
		}
	}
	return forgot
}

// digested is how the key of an id begins that is unlawfully long: no UTF-8 has
// that byte.
const digested = 0xff

// callKey returns what an id is remembered by: an unlawfully long one by its
// digest, and the name that messages have for it.
func callKey(id []byte) []byte {
	if len(id) <= schema.MaxStringBytes {
		return id
	}
	sum := sha256.Sum256(id)
	return append(append([]byte{digested}, sum[:]...), quote(string(id))...)
}

// callName returns the name that messages have for a call.
func callName(key []byte) string {
	if len(key) > 0 && key[0] == digested {
		return string(key[1+sha256.Size:])
	}
	return quote(string(key))
}

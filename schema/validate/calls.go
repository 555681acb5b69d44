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

// call is a tool call id and its present life.
type call struct {
	life
	id
	moved bool // it is among the young ones now
}

// life is what the id has seen from its detection or decision to the next one.
type life struct {
	decision string // allow, deny, or none yet
	started  int    // line of a start that has not finished, else 0
	// unknown reports that the id may have been forgotten: what was decided of
	// it, or whether it runs, cannot be told.
	unknown bool
}

// id is where the key of a call lies among the keys of its generation.
type id struct {
	hash       uint64
	from, size int32
	name       string // as messages quote it, where the key is only its digest
}

// calls remembers the calls of a run: the last maxCalls ids for certain, up to
// twice as many at most. Those still running are the last to be forgotten. Of
// a forgotten one nothing is said any more.
type calls struct {
	young, old, spare *generation
	forgot            bool
	seed              maphash.Seed
}

// generation is a set of calls that does not allocate once it has grown.
type generation struct {
	calls []call
	keys  []byte
	table []int32 // by hash, the number of a call from 1, 0 for none; a power of 2
}

// minTable is the size of a new table.
const minTable = 64

func newCalls() calls {
	return calls{young: new(generation), old: new(generation), spare: new(generation), seed: maphash.MakeSeed()}
}

// get returns the call with that id, a new one if there is none. It is valid
// until the next call of get.
func (k *calls) get(of []byte) *call {
	key, name := callKey(of)
	hash := maphash.Bytes(k.seed, key)
	if c := k.young.find(hash, key); c != nil {
		return c
	}
	if len(k.young.calls) >= maxCalls {
		k.age()
		if c := k.young.find(hash, key); c != nil { // it runs
			return c
		}
	}
	now := life{unknown: k.forgot}
	if c := k.old.find(hash, key); c != nil {
		now, c.moved = c.life, true
	}
	return k.young.add(call{life: now, id: id{hash: hash, name: name}}, key)
}

// age makes room for new calls: of the old ones only those that run remain.
func (k *calls) age() {
	next := k.spare
	next.clear()
	for i := range k.old.calls {
		switch c := &k.old.calls[i]; {
		case c.moved:
		case c.started > 0 && len(next.calls) < maxCalls/2:
			next.add(*c, k.old.key(c))
		default:
			k.forgot = true
		}
	}
	k.spare, k.old, k.young = k.old, k.young, next
}

// running yields the calls that have started and not finished, with their names
// as messages quote them.
func (k *calls) running() iter.Seq2[*call, string] {
	return func(yield func(*call, string) bool) {
		for _, g := range []*generation{k.old, k.young} {
			for i := range g.calls {
				c := &g.calls[i]
				if c.moved || c.started == 0 {
					continue
				}
				name := c.name
				if name == "" {
					name = quote(string(g.key(c)))
				}
				if !yield(c, name) {
					return
				}
			}
		}
	}
}

// find returns the call with that key, nil if there is none. One that has moved
// was asked for among the young first.
func (g *generation) find(hash uint64, key []byte) *call {
	for at := hash; len(g.table) > 0; at++ {
		n := g.table[at&uint64(len(g.table)-1)]
		if n == 0 {
			break
		}
		if c := &g.calls[n-1]; c.hash == hash && string(g.key(c)) == string(key) && !c.moved {
			return c
		}
	}
	return nil
}

func (g *generation) key(c *call) []byte { return g.keys[c.from : c.from+c.size] }

// add adds a call that is not there.
func (g *generation) add(c call, key []byte) *call {
	c.from, c.size = int32(len(g.keys)), int32(len(key))
	g.keys = append(g.keys, key...)
	g.calls = append(g.calls, c)
	if 2*len(g.calls) > len(g.table) {
		g.table = slices.Repeat([]int32{0}, max(minTable, 2*len(g.table)))
		for i := range g.calls {
			g.place(i)
		}
	} else {
		g.place(len(g.calls) - 1)
	}
	return &g.calls[len(g.calls)-1]
}

// place notes the call in the table, which has room.
func (g *generation) place(i int) {
	mask := uint64(len(g.table) - 1)
	at := g.calls[i].hash & mask
	for g.table[at] != 0 {
		at = (at + 1) & mask
	}
	g.table[at] = int32(i + 1)
}

func (g *generation) clear() {
	clear(g.table)
	g.calls, g.keys = g.calls[:0], g.keys[:0]
}

// callKey returns what an id is remembered by: an unlawfully long one by its
// digest, and then its name.
func callKey(of []byte) (key []byte, name string) {
	if len(of) <= schema.MaxStringBytes {
		return of, ""
	}
	sum := sha256.Sum256(of)
	return sum[:], quote(string(of))
}

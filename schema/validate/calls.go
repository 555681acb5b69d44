package validate

import (
	"crypto/sha256"
	"slices"

	"github.com/openagent-ci/openagent/schema"
)

// maxCalls bounds the calls of one generation. A stream can be of any length
// and name a new call on each line, so what is remembered of them is bounded.
const maxCalls = 1 << 13

// decision is one that takes part in the rules about calls.
type decision uint8

const (
	undecided decision = iota
	allowed
	denied
)

// call is what a tool call id has seen from its detection or decision to the next one.
type call struct {
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
	young, old map[string]*call // by callKey
	forgot     bool
}

func newCalls() calls { return calls{young: map[string]*call{}, old: map[string]*call{}} }

// get returns the call with that id, a new one if there is none.
func (k *calls) get(id []byte) *call {
	key := callKey(id)
	if c := k.young[string(key)]; c != nil {
		return c
	}
	c := k.old[string(key)]
	if c == nil {
		c = &call{unknown: k.forgot}
	}
	delete(k.old, string(key))
	if len(k.young) >= maxCalls {
		k.age()
	}
	k.young[string(key)] = c
	return c
}

// age makes room for new calls: of the old ones only those that started first and
// still run remain.
func (k *calls) age() {
	var running []int
	for _, c := range k.old {
		if c.started > 0 {
			running = append(running, c.started)
		}
	}
	slices.Sort(running)
	running = running[:min(len(running), maxCalls/2)]
	for key, c := range k.old {
		if _, kept := slices.BinarySearch(running, c.started); !kept {
			delete(k.old, key)
			k.forgot = true
		}
	}
	k.old, k.young = k.young, k.old
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
func callName(key string) string {
	if len(key) > 0 && key[0] == digested {
		return key[1+sha256.Size:]
	}
	return quote(key)
}

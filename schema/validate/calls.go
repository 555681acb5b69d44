package validate

import (
	"crypto/sha256"
	"iter"

	"github.com/openagent-ci/openagent/schema"
)

// maxCalls bounds the calls of one generation. A stream can be of any length
// and name a new call on each line, so what is remembered of them is bounded.
const maxCalls = 1 << 13

// call is the present life of a tool call id: from its detection or decision
// to the next one.
type call struct {
	decision string // allow, deny, or none yet
	started  int    // line of a start that has not finished, else 0
	name     string // the id as messages quote it, once it has started
	// unknown reports that the id may have been forgotten: what was decided of
	// it, or whether it runs, cannot be told.
	unknown bool
}

// calls remembers the calls of a run: the last maxCalls ids for certain, up to
// twice as many at most. Those still running are the last to be forgotten. Of
// a forgotten one nothing is said any more.
type calls struct {
	young, old map[string]*call
	forgot     bool
}

func newCalls() calls { return calls{young: map[string]*call{}} }

// get returns the call with that id, a new one if there is none.
func (k *calls) get(id string) *call {
	key := callKey(id)
	if c := k.young[key]; c != nil {
		return c
	}
	if len(k.young) >= maxCalls {
		k.age()
	}
	c := k.old[key]
	if c == nil {
		c = &call{unknown: k.forgot}
	}
	delete(k.old, key)
	k.young[key] = c
	return c
}

// age makes room for new calls: of the old ones only those that run remain.
func (k *calls) age() {
	next := map[string]*call{}
	for key, c := range k.old {
		if c.started > 0 && len(next) < maxCalls/2 {
			next[key] = c
		} else {
			k.forgot = true
		}
	}
	k.old, k.young = k.young, next
}

// running yields the calls that have started and not finished.
func (k *calls) running() iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for _, generation := range []map[string]*call{k.old, k.young} {
			for _, c := range generation {
				if c.started > 0 && !yield(c) {
					return
				}
			}
		}
	}
}

// callKey returns what an id is remembered by: an unlawfully long one by its
// digest.
func callKey(id string) string {
	if len(id) <= schema.MaxStringBytes {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return string(sum[:])
}

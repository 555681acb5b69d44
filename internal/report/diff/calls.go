package diff

import (
	"slices"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// What names one way in which a tool call changed.
type What string

// The ways in which a call changes. A call that is retried is one call with several
// attempts: one that ran again under its id, or that failed and was made again, at
// once or as the stream has announced, by the same arguments or, where these kept it
// from running, by others.
const (
	Inserted  What = "inserted"
	Dropped   What = "dropped"
	Moved     What = "moved"
	Swapped   What = "swapped" // it and Other took each other's place; said once of the two
	Arguments What = "arguments"
	Decision  What = "decision"
	Result    What = "result"
	Attempts  What = "attempts"
)

// Name is that of what such a change of a call belongs to.
func (w What) Name() string {
	switch w {
	case Decision:
		return NameDecisions
	case Result:
		return NameResults
	case Attempts:
		return NameRetries
	}
	return NameTools
}

// CallChange is one call that changed: Base is nil where it was inserted, Head where
// it was dropped.
type CallChange struct {
	What []What `json:"what"`
	Base *Call  `json:"base"`
	Head *Call  `json:"head"`
	// Other is the call of the base run that this one changed places with.
	Other *Call `json:"other,omitempty"`
	// Arguments are those that changed, at most maxArguments of them.
	Arguments []Argument `json:"arguments,omitempty"`
}

// Call is a tool call with all its attempts.
type Call struct {
	// Number counts the calls of the run from 1, without their retries.
	Number int    `json:"number"`
	Step   int64  `json:"step"`
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	// Arguments are those of the last attempt, for people.
	Arguments string `json:"arguments"`
	Decision  string `json:"decision"` // allow or deny
	Reason    string `json:"reason,omitempty"`
	Result    string `json:"result"` // ok, failed or none
	Attempts  int    `json:"attempts"`
}

// attempts are the calls of a run that are one: each but the last has failed.
type attempts struct {
	calls []call
	// keys are of each attempt; two calls with the same tool and arguments have the
	// same key.
	keys   []int
	number int
}

func (a attempts) last() call { return a.calls[len(a.calls)-1] }
func (a attempts) key() int   { return a.keys[len(a.keys)-1] }

// count returns how many attempts there were: a call can run several times, and of
// the last one it counts what was announced.
func (a attempts) count() (n int) {
	for _, c := range a.calls {
		n += max(c.starts, c.ends, 1)
	}
	last := a.last()
	return n + max(last.announced+1-max(last.starts, last.ends, 1), 0)
}

func (a attempts) result() string {
	switch c := a.last(); {
	case c.ended && !c.failed:
		return "ok"
	case c.failed:
		return "failed"
	}
	return "none"
}

func (a attempts) decision() string {
	if a.last().denied {
		return "deny"
	}
	return "allow"
}

func (a attempts) shown() *Call {
	c := a.last()
	return &Call{
		Number: a.number, Step: c.step, ID: term.OneLine(c.id, maxName), Tool: Named(c.tool, maxText),
		Arguments: shownArguments(c.arguments), Decision: a.decision(), Reason: term.OneLine(c.reason, maxText),
		Result: a.result(), Attempts: a.count(),
	}
}

// comparison gathers what changed of the calls.
type comparison struct {
	base, head []attempts
	values     *decoder
	looked     int    // pairs
	exact      []pair // calls that are the same, in order
	pairs      []pair // all others that belong together
	moved      map[pair]bool

	changes []CallChange
	more    int
	counts  map[What]int
	named   map[string]bool
}

// compareCalls compares the calls of two runs. Those of two agents are compared by
// the names that all agents have.
func compareCalls(base, head *Run) comparison {
	neutral := base.agent != head.agent
	keys := &keys{numbers: map[toolname.Call]int{}, neutral: neutral}
	c := comparison{
		base: keys.grouped(base.calls), head: keys.grouped(head.calls), values: &decoder{},
		moved: map[pair]bool{}, counts: map[What]int{}, named: map[string]bool{},
	}
	c.exact = align(keysOf(c.base), keysOf(c.head))
	c.pairUp()
	c.report()
	return c
}

// keys numbers calls by what they do.
type keys struct {
	numbers map[toolname.Call]int
	count   int
	neutral bool
}

// key returns the number of a call, and the call as it is compared.
func (k *keys) key(c call) (int, call) {
	raw := toolname.Call{Tool: c.tool, Arguments: c.arguments}
	if k.neutral {
		raw = toolname.Neutral(raw, "")
		c.tool, c.arguments = raw.Tool, raw.Arguments
	}
	if n, ok := k.numbers[raw]; ok && !c.cut {
		return n, c
	}
	as := toolname.Call{Tool: raw.Tool, Arguments: canonical(c)}
	n, ok := k.numbers[as]
	if !ok {
		k.count++
		n = k.count
		k.numbers[as] = n
	}
	if !c.cut {
		k.numbers[raw] = n
	}
	return n, c
}

// grouped returns calls with their attempts.
func (k *keys) grouped(calls []call) (list []attempts) {
	list = make([]attempts, 0, len(calls))
	of := make([]int, len(calls)) // of each call, where it is in the list
	for i, c := range calls {
		key, c := k.key(c)
		of[i] = len(list)
		if c.afterFailure && list[of[i-1]].repeatedBy(c, key) {
			of[i] = of[i-1]
		} else if at := c.repeats - 1; at >= 0 && (c.certain || list[of[at]].key() == key) {
			of[i] = of[at]
		}
		if of[i] == len(list) {
			list = append(list, attempts{number: len(list) + 1})
		}
		one := &list[of[i]]
		one.calls, one.keys = append(one.calls, c), append(one.keys, key)
	}
	return list
}

// repeatedBy reports whether a call that was made at once after a failed one is
// another attempt.
func (a attempts) repeatedBy(c call, key int) bool {
	return a.key() == key || a.last().invalid && a.last().tool == c.tool
}

func keysOf(list []attempts) []int {
	keys := make([]int, len(list))
	for i, a := range list {
		keys[i] = a.key()
	}
	return keys
}

// pairUp finds what belongs together of the calls that have no exact counterpart at
// their place: the same call at another place, or at the same place another call of
// the same tool.
func (c *comparison) pairUp() {
	base, head := rest(len(c.base), c.exact, pair.ofBase), rest(len(c.head), c.exact, pair.ofHead)
	places := map[int][]int{} // of a key's calls in head
	for _, j := range head {
		key := c.head[j].key()
		places[key] = append(places[key], j)
	}
	used := map[int]bool{}
	base = slices.DeleteFunc(base, func(i int) bool {
		at := places[c.base[i].key()]
		if len(at) == 0 {
			return false
		}
		places[c.base[i].key()] = at[1:]
		used[at[0]] = true
		c.pairs = append(c.pairs, pair{i, at[0]})
		c.moved[pair{i, at[0]}] = true
		return true
	})
	head = slices.DeleteFunc(head, func(j int) bool { return used[j] })
	c.stayed()
	gaps := slices.Concat(c.exact, []pair{{len(c.base), len(c.head)}})
	for _, end := range gaps {
		var inBase, inHead []int
		inBase, base = before(base, end.base)
		inHead, head = before(head, end.head)
		c.alike(inBase, inHead)
	}
}

// stayed finds those calls at other places that are in order among the exact ones
// and among each other, as many as can be. The alignment of long lists misses some,
// and without them others would seem to be in order too.
func (c *comparison) stayed() {
	var inOrder []pair
	for p, rank := range c.ranks() {
		if rank.base == rank.head {
			inOrder = append(inOrder, p)
		}
	}
	byBase := func(a, b pair) int { return a.base - b.base }
	slices.SortFunc(inOrder, byBase)
	for _, p := range rising(inOrder) {
		delete(c.moved, p)
		c.exact = append(c.exact, p)
	}
	slices.SortFunc(c.exact, byBase)
	c.pairs = slices.DeleteFunc(c.pairs, func(p pair) bool { return !c.moved[p] })
}

func (p pair) ofBase() int { return p.base }
func (p pair) ofHead() int { return p.head }

// rest returns the numbers below n that are on no side of the pairs.
func rest(n int, pairs []pair, side func(pair) int) (list []int) {
	at := 0
	for _, p := range append(slices.Clone(pairs), pair{n, n}) {
		for ; at < side(p); at++ {
			list = append(list, at)
		}
		at++
	}
	return list
}

// before splits a list of rising numbers at end.
func before(list []int, end int) (below, others []int) {
	at, _ := slices.BinarySearch(list, end)
	return list[:at], list[at:]
}

// maxAlike bounds the pairs that are looked at to find out which calls of the same
// place are most alike. Where there are more, the first of a tool belongs to the
// first of it.
const maxAlike = 50_000

// alike pairs calls of the same tool and place, those that are most alike.
func (c *comparison) alike(base, head []int) {
	if c.looked += len(base) * len(head); c.looked > maxAlike {
		c.inOrder(base, head)
		return
	}
	best := make([][]float64, len(base)+1)
	for i := range best {
		best[i] = make([]float64, len(head)+1)
	}
	scores := make([]float64, len(base)*len(head))
	for i := len(base) - 1; i >= 0; i-- {
		for j := len(head) - 1; j >= 0; j-- {
			s := c.values.likeness(c.base[base[i]], c.head[head[j]])
			scores[i*len(head)+j] = s
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(base) && j < len(head); {
		switch s := scores[i*len(head)+j]; {
		case s > 0 && best[i][j] == s+best[i+1][j+1]:
			c.pairs = append(c.pairs, pair{base[i], head[j]})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
}

// inOrder pairs calls of the same tool in their order.
func (c *comparison) inOrder(base, head []int) {
	places := map[string][]int{}
	for _, j := range head {
		tool := c.head[j].last().tool
		places[tool] = append(places[tool], j)
	}
	for _, i := range base {
		tool := c.base[i].last().tool
		if at := places[tool]; len(at) > 0 {
			c.pairs, places[tool] = append(c.pairs, pair{i, at[0]}), at[1:]
		}
	}
}

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
	calls  []call
	number int
}

func (a attempts) last() call { return a.calls[len(a.calls)-1] }
func (a attempts) key() int   { return a.last().key }

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
	// to has of each call of base the one of head that it belongs to, from of each of
	// head the one of base; none for calls that only one of the runs has.
	to, from []int
	moved    map[int]bool // those of base that are the same at another place
}

// none is the index of a call that is not there.
const none = -1

// compareCalls compares the calls of two runs, and adds the names of what differs. Those
// of two agents are compared by the names that all agents have.
func (d *Diff) compareCalls(base, head *Run, differ map[string]bool) {
	keys := &keys{numbers: map[toolname.Call]int{}, neutral: base.agent != head.agent}
	c := comparison{
		base: keys.grouped(base.calls), head: keys.grouped(head.calls),
		moved: map[int]bool{},
	}
	c.to, c.from = slices.Repeat([]int{none}, len(c.base)), slices.Repeat([]int{none}, len(c.head))
	c.pairUp()
	d.Calls, d.Counts = []CallChange{}, map[What]int{}
	for _, one := range c.all() {
		for _, w := range one.what {
			d.Counts[w]++
			differ[w.Name()] = true
		}
		// To deny a call that only one run has is a decision that only that run took.
		alone := one.base == none && c.head[one.head].last().denied || one.head == none && c.base[one.base].last().denied
		differ[NameDecisions] = differ[NameDecisions] || alone
		if len(d.Calls) == maxCalls {
			d.More++
			continue
		}
		d.Calls = append(d.Calls, c.shown(one))
	}
}

// keys numbers calls by their tool and arguments.
type keys struct {
	numbers map[toolname.Call]int
	neutral bool
}

// key returns a call as it is compared, with its key.
func (k *keys) key(c call) call {
	raw := toolname.Call{Tool: c.tool, Arguments: c.arguments}
	if k.neutral {
		raw = toolname.Neutral(raw, "")
		c.tool, c.arguments = raw.Tool, raw.Arguments
	}
	var ok bool
	if c.key, ok = k.numbers[raw]; ok && !c.cut {
		return c
	}
	as := toolname.Call{Tool: raw.Tool, Arguments: canonical(c)}
	if c.key, ok = k.numbers[as]; !ok {
		c.key = len(k.numbers) + 1
		k.numbers[as] = c.key
	}
	if !c.cut {
		k.numbers[raw] = c.key
	}
	return c
}

// grouped returns calls with their attempts.
func (k *keys) grouped(calls []call) (list []attempts) {
	list = make([]attempts, 0, len(calls))
	of := make([]int, len(calls)) // of each call, where it is in the list
	for i, c := range calls {
		c = k.key(c)
		of[i] = len(list)
		if c.afterFailure && list[of[i-1]].repeatedBy(c) {
			of[i] = of[i-1]
		} else if at := c.repeats - 1; at >= 0 && (c.certain || list[of[at]].key() == c.key) {
			of[i] = of[at]
		}
		if of[i] == len(list) {
			list = append(list, attempts{number: len(list) + 1})
		}
		one := &list[of[i]]
		one.calls = append(one.calls, c)
	}
	return list
}

// repeatedBy reports whether a call that was made at once after a failed one is
// another attempt.
func (a attempts) repeatedBy(c call) bool {
	return a.key() == c.key || a.last().invalid && a.last().tool == c.tool
}

func (c *comparison) pair(i, j int) { c.to[i], c.from[j] = j, i }

// pairUp finds which calls belong together: the same ones in order, the same at
// another place, and between those in order others of the same tool in theirs.
func (c *comparison) pairUp() {
	exact := alignBy(c, pair{0, 0}, pair{len(c.base), len(c.head)}, attempts.key)
	places := map[int][]int{} // of a key's calls in head
	for j, i := range c.from {
		if key := c.head[j].key(); i == none {
			places[key] = append(places[key], j)
		}
	}
	for i, j := range c.to {
		key := c.base[i].key()
		if at := places[key]; j == none && len(at) > 0 {
			c.pair(i, at[0])
			c.moved[i], places[key] = true, at[1:]
		}
	}
	from := pair{0, 0}
	for _, to := range append(exact, pair{len(c.base), len(c.head)}) {
		alignBy(c, from, to, func(a attempts) string { return a.last().tool })
		from = pair{to.base + 1, to.head + 1}
	}
}

// alignBy pairs up the calls between two places that belong to none, by what they have,
// in order.
func alignBy[T comparable](c *comparison, from, to pair, by func(attempts) T) (found []pair) {
	alone := func(pairs []int, calls []attempts, from, to int) (at []int, list []T) {
		for i := from; i < to; i++ {
			if pairs[i] == none {
				at, list = append(at, i), append(list, by(calls[i]))
			}
		}
		return at, list
	}
	inBase, base := alone(c.to, c.base, from.base, to.base)
	inHead, head := alone(c.from, c.head, from.head, to.head)
	for _, p := range align(base, head) {
		c.pair(inBase[p.base], inHead[p.head])
		found = append(found, pair{inBase[p.base], inHead[p.head]})
	}
	return found
}

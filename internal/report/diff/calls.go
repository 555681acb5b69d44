package diff

import (
	"cmp"
	"fmt"
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
	names := map[What]string{Decision: NameDecisions, Result: NameResults, Attempts: NameRetries}
	return cmp.Or(names[w], NameTools)
}

// CallChange is one call that changed: Base is nil where it was inserted, Head where
// it was dropped.
type CallChange struct {
	What      []What     `json:"what"`
	Base      *Call      `json:"base"`
	Head      *Call      `json:"head"`
	Arguments []Argument `json:"arguments,omitempty"` // that changed, at most maxArguments
}

// Call is a tool call with all its attempts.
type Call struct {
	Number    int    `json:"number"` // counts from 1, without retries
	Step      int64  `json:"step"`
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"` // of the last attempt, for people
	Written   string `json:"-"`         // the arguments as they were written, as far as they are held
	Decision  string `json:"decision"`  // allow or deny
	Reason    string `json:"reason,omitempty"`
	Result    string `json:"result"` // ok, failed or none
	Attempts  int    `json:"attempts"`
}

// attempts are the calls of a run that are one: each but the last has failed.
type attempts struct {
	calls  []call
	number int
	other  *attempts // that of the other run which it belongs to, nil for none
	moved  bool      // it is the same at another place
}

func (a *attempts) last() call   { return a.calls[len(a.calls)-1] }
func (a *attempts) key() int     { return a.last().key }
func (a *attempts) tool() string { return a.last().tool }

// count returns how many attempts there were: a call can run several times, and of
// the last one it counts what was announced.
func (a *attempts) count() (n int) {
	for _, c := range a.calls {
		n += c.runs()
	}
	last := a.last()
	return n + max(last.announced+1-last.runs(), 0)
}

func (a *attempts) shown() *Call {
	if a == nil {
		return nil
	}
	c := a.last()
	return &Call{
		Number: a.number, Step: c.step, ID: term.OneLine(c.id, maxName), Tool: Named(c.tool, maxText),
		Arguments: shownArguments(c.arguments), Written: c.arguments, Decision: c.decision(), Reason: term.OneLine(c.reason, maxText),
		Result: c.result(), Attempts: a.count(),
	}
}

// compareCalls compares the calls of two runs, and adds the names of what differs. Those
// of two agents are compared by the names that all agents have.
func (d *Diff) compareCalls(base, head *Run, differ map[string]bool) {
	keys := keys{map[toolname.Call]int{}, base.agent != head.agent}
	d.Calls, d.Counts = []CallChange{}, map[What]int{}
	for _, one := range pairUp(keys.grouped(base.calls), keys.grouped(head.calls)) {
		b, h := one[0], one[1]
		what := changes(b, h)
		for _, w := range what {
			d.Counts[w]++
			differ[w.Name()] = true
		}
		// To deny a call that only one run has is a decision that only that run took.
		if alone := cmp.Or(b, h); b == nil || h == nil {
			differ[NameDecisions] = differ[NameDecisions] || alone.last().denied
		}
		switch {
		case len(what) == 0:
		case len(d.Calls) == maxCalls:
			d.More++
		default:
			c := CallChange{What: what, Base: b.shown(), Head: h.shown()}
			if slices.Contains(what, Arguments) {
				c.Arguments = changedArguments(b, h)
			}
			d.Calls = append(d.Calls, c)
		}
	}
}

// keys numbers calls by their tool and arguments.
type keys struct {
	numbers map[toolname.Call]int
	neutral bool
}

// key returns a call as it is compared, with its key.
func (k keys) key(c call) call {
	as := toolname.Call{Tool: c.tool, Arguments: c.arguments}
	if k.neutral {
		as = toolname.Neutral(as, "")
		c.tool, c.arguments = as.Tool, as.Arguments
	}
	as.Arguments = canonical(c)
	if k.numbers[as] == 0 {
		k.numbers[as] = len(k.numbers) + 1
	}
	c.key = k.numbers[as]
	return c
}

// grouped returns calls with their attempts.
func (k keys) grouped(calls []call) (list []*attempts) {
	of := make([]*attempts, len(calls))
	for i, c := range calls {
		c = k.key(c)
		if c.afterFailure && of[i-1].repeatedBy(c) {
			of[i] = of[i-1]
		} else if at := c.repeats - 1; at >= 0 && (c.certain || of[at].key() == c.key) {
			of[i] = of[at]
		} else {
			of[i] = &attempts{number: len(list) + 1}
			list = append(list, of[i])
		}
		of[i].calls = append(of[i].calls, c)
	}
	return list
}

// repeatedBy reports whether a call that was made at once after a failed one is
// another attempt.
func (a *attempts) repeatedBy(c call) bool {
	return a.key() == c.key || a.last().invalid && a.tool() == c.tool
}

// pairUp finds which calls belong together: the same ones in order, the same at
// another place, and between those in order others of the same tool in theirs. It
// returns all in the order of head, and one that head does not have where it would be.
func pairUp(base, head []*attempts) (list [][2]*attempts) {
	from, inOrder := pair{}, join(base, head, (*attempts).key)
	places := map[int][]*attempts{} // of a key's calls in head
	for _, h := range alone(head) {
		places[h.key()] = append(places[h.key()], h)
	}
	for _, b := range alone(base) {
		if at := places[b.key()]; len(at) > 0 {
			b.other, at[0].other, b.moved, places[b.key()] = at[0], b, true, at[1:]
		}
	}
	for _, to := range append(inOrder, pair{len(base), len(head)}) {
		join(alone(base[from.base:to.base]), alone(head[from.head:to.head]), (*attempts).tool)
		from = pair{to.base + 1, to.head + 1}
	}
	dropped := func(after int) {
		for _, b := range base[after:] {
			if b.other != nil && !b.moved {
				break
			}
			if b.other == nil {
				list = append(list, [2]*attempts{b, nil})
			}
		}
	}
	dropped(0)
	for _, h := range head {
		list = append(list, [2]*attempts{h.other, h})
		if h.other != nil && !h.other.moved {
			dropped(h.other.number)
		}
	}
	return list
}

// alone returns the calls that belong to none of the other run.
func alone(calls []*attempts) []*attempts {
	return slices.DeleteFunc(slices.Clone(calls), func(a *attempts) bool { return a.other != nil })
}

// join pairs up calls by what they have, in order.
func join[T comparable](base, head []*attempts, by func(*attempts) T) []pair {
	each := func(calls []*attempts) (list []T) {
		for _, a := range calls {
			list = append(list, by(a))
		}
		return list
	}
	found := align(each(base), each(head))
	for _, p := range found {
		base[p.base].other, head[p.head].other = head[p.head], base[p.base]
	}
	return found
}

// changes returns in which ways a call changed, nil for one of the runs that lacks it.
func changes(b, h *attempts) (what []What) {
	switch {
	case b == nil:
		return []What{Inserted}
	case h == nil:
		return []What{Dropped}
	}
	sameKey := func(x, y call) bool { return x.key == y.key }
	was, is := b.last(), h.last()
	for _, c := range []struct {
		what    What
		changed bool
	}{
		{Moved, b.moved},
		{Arguments, was.key != is.key || len(b.calls) == len(h.calls) && !slices.EqualFunc(b.calls, h.calls, sameKey)},
		{Decision, was.denied != is.denied},
		{Result, was.denied == is.denied && was.result() != is.result()},
		{Attempts, b.count() != h.count()},
	} {
		if c.changed {
			what = append(what, c.what)
		}
	}
	return what
}

// changedArguments returns the arguments that changed of the last attempt, and of those
// before where they were as many.
func changedArguments(base, head *attempts) (list []Argument) {
	if len(base.calls) == len(head.calls) {
		for i, b := range base.calls[:len(base.calls)-1] {
			if h := head.calls[i]; b.key != h.key {
				list = append(list, changed(fmt.Sprintf("attempt %d: ", i+1), b, h)...)
			}
		}
	}
	if base.key() != head.key() {
		list = append(list, changed("", base.last(), head.last())...)
	}
	return list[:min(len(list), maxArguments)]
}

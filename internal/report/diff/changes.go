package diff

import (
	"cmp"
	"fmt"
	"slices"
)

// change is a pair that changed in some way; one side is -1 where there is none.
type change struct {
	pair
	what  []What
	order int
	other int // in base, that this one changed places with
}

// report makes the changes of what was paired up, in the order of head.
func (c *comparison) report() {
	all := c.lone()
	swaps := c.swaps()
	for _, p := range slices.Concat(c.exact, c.pairs) {
		if one := c.compare(p, swaps); len(one.what) > 0 {
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int {
		return cmp.Or(a.order-b.order, a.base-b.base)
	})
	for _, one := range all {
		for _, w := range one.what {
			c.counts[w]++
			c.named[w.Name()] = true
		}
		if len(c.changes) < maxCalls {
			c.changes = append(c.changes, c.shown(one))
		}
	}
	c.more = len(all) - len(c.changes)
	c.changes = append([]CallChange{}, c.changes...)
}

// lone returns the calls that only one of the runs has. To deny one is a decision
// that only that run took.
func (c *comparison) lone() (all []change) {
	pairs := slices.Concat(c.exact, c.pairs)
	side := func(of func(pair) int) []pair {
		return slices.SortedFunc(slices.Values(pairs), func(a, b pair) int { return of(a) - of(b) })
	}
	for _, j := range rest(len(c.head), side(pair.ofHead), pair.ofHead) {
		all = append(all, change{pair: pair{-1, j}, what: []What{Inserted}, order: 2*j + 1, other: -1})
		c.named[NameDecisions] = c.named[NameDecisions] || c.head[j].last().denied
	}
	stayed := slices.DeleteFunc(side(pair.ofBase), func(p pair) bool { return c.moved[p] })
	at, behind := 0, 0 // of those that stayed, and behind which call of head
	for _, i := range rest(len(c.base), side(pair.ofBase), pair.ofBase) {
		for ; at < len(stayed) && stayed[at].base < i; at++ {
			behind = 2*stayed[at].head + 2
		}
		all = append(all, change{pair: pair{i, -1}, what: []What{Dropped}, order: behind, other: -1})
		c.named[NameDecisions] = c.named[NameDecisions] || c.base[i].last().denied
	}
	return all
}

// ranks returns of each moved pair how many exact ones are before it in base and in
// head.
func (c *comparison) ranks() map[pair]pair {
	ranks := map[pair]pair{}
	for p := range c.moved {
		base, _ := slices.BinarySearchFunc(c.exact, p.base, func(e pair, at int) int { return e.base - at })
		head, _ := slices.BinarySearchFunc(c.exact, p.head, func(e pair, at int) int { return e.head - at })
		ranks[p] = pair{base, head}
	}
	return ranks
}

// swaps returns the pairs that took each other's place among the calls that both runs
// have: each with the call of base whose place it took.
func (c *comparison) swaps() map[pair]int {
	byBase := slices.SortedFunc(slices.Values(slices.Concat(c.exact, c.pairs)), func(a, b pair) int { return a.base - b.base })
	byHead := slices.SortedFunc(slices.Values(byBase), func(a, b pair) int { return a.head - b.head })
	swaps := map[pair]int{}
	for i, p := range byBase {
		at, _ := slices.BinarySearchFunc(byHead, p.head, func(e pair, head int) int { return e.head - head })
		if at != i && byHead[i] == byBase[at] {
			swaps[p] = byBase[at].base
		}
	}
	return swaps
}

// compare returns in which ways a pair changed. A swap is said once, of the call that
// was the first of the two.
func (c *comparison) compare(p pair, swaps map[pair]int) change {
	one := change{pair: p, order: 2*p.head + 1, other: -1}
	b, h := c.base[p.base], c.head[p.head]
	switch other, ok := swaps[p]; {
	case ok && p.base < other:
		one.what, one.other = append(one.what, Swapped), other
	case !ok && c.moved[p]:
		one.what = append(one.what, Moved)
	}
	if b.key() != h.key() || len(b.keys) == len(h.keys) && !slices.Equal(b.keys, h.keys) {
		one.what = append(one.what, Arguments)
	}
	if b.decision() != h.decision() {
		one.what = append(one.what, Decision)
	} else if b.result() != h.result() {
		one.what = append(one.what, Result)
	}
	if b.count() != h.count() {
		one.what = append(one.what, Attempts)
	}
	return one
}

// shown returns a change as it is printed.
func (c *comparison) shown(one change) CallChange {
	s := CallChange{What: one.what}
	if one.base >= 0 {
		s.Base = c.base[one.base].shown()
	}
	if one.head >= 0 {
		s.Head = c.head[one.head].shown()
	}
	if one.other >= 0 {
		s.Other = c.base[one.other].shown()
	}
	if slices.Contains(one.what, Arguments) {
		s.Arguments = c.arguments(c.base[one.base], c.head[one.head])
	}
	return s
}

// arguments returns the arguments that changed of the last attempt, or of those
// before that were as many.
func (c *comparison) arguments(base, head attempts) (list []Argument) {
	if len(base.keys) == len(head.keys) {
		for i := range len(base.keys) - 1 {
			if base.keys[i] == head.keys[i] {
				continue
			}
			for _, a := range c.values.changed(base.calls[i], head.calls[i]) {
				a.Name = fmt.Sprintf("attempt %d: %s", i+1, a.Name)
				list = append(list, a)
			}
		}
	}
	if base.key() != head.key() {
		list = append(list, c.values.changed(base.last(), head.last())...)
	}
	return list[:min(len(list), maxArguments)]
}

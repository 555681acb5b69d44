package diff

import (
	"cmp"
	"fmt"
	"slices"
)

// change is a pair that changed in some way; one side is none where there is none.
type change struct {
	pair
	what  []What
	order int
}

// all returns the changes of what was paired up, in the order of head. One that head does
// not have stands where it would be.
func (c *comparison) all() (list []change) {
	after := 0
	for i, j := range c.to {
		if j == none {
			list = append(list, change{pair{i, none}, []What{Dropped}, after})
			continue
		}
		if !c.moved[i] {
			after = 2*j + 2
		}
		if what := c.compare(i, j); len(what) > 0 {
			list = append(list, change{pair{i, j}, what, 2*j + 1})
		}
	}
	for j, i := range c.from {
		if i == none {
			list = append(list, change{pair{none, j}, []What{Inserted}, 2*j + 1})
		}
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(a.order-b.order, a.base-b.base)
	})
	return list
}

// compare returns in which ways a call changed.
func (c *comparison) compare(i, j int) (what []What) {
	b, h := c.base[i], c.head[j]
	if c.moved[i] {
		what = append(what, Moved)
	}
	if b.key() != h.key() || len(b.calls) == len(h.calls) && !slices.EqualFunc(b.calls, h.calls, func(x, y call) bool { return x.key == y.key }) {
		what = append(what, Arguments)
	}
	if b.decision() != h.decision() {
		what = append(what, Decision)
	} else if b.result() != h.result() {
		what = append(what, Result)
	}
	if b.count() != h.count() {
		what = append(what, Attempts)
	}
	return what
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
	if slices.Contains(one.what, Arguments) {
		s.Arguments = changedArguments(c.base[one.base], c.head[one.head])
	}
	return s
}

// changedArguments returns the arguments that changed of the last attempt, and of those
// before where they were as many.
func changedArguments(base, head attempts) (list []Argument) {
	if len(base.calls) == len(head.calls) {
		for i := range len(base.calls) - 1 {
			if base.calls[i].key == head.calls[i].key {
				continue
			}
			for _, a := range changed(base.calls[i], head.calls[i]) {
				a.Name = fmt.Sprintf("attempt %d: %s", i+1, a.Name)
				list = append(list, a)
			}
		}
	}
	if base.key() != head.key() {
		list = append(list, changed(base.last(), head.last())...)
	}
	return list[:min(len(list), maxArguments)]
}

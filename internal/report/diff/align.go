package diff

import "slices"

// pair is an index of base and one of head.
type pair struct{ base, head int }

// maxEdits bounds the work of an alignment: see align.
const maxEdits = 1000

// align returns the indexes of a longest common subsequence of two lists. Where it takes
// more than maxEdits edits, it is the longest of what they reach, and then of the rest:
// so long lists take time in proportion to their length, however they differ.
func align[T comparable](base, head []T) (found []pair) {
	a, b := among(base, head), among(head, base)
	for len(a) > 0 && len(b) > 0 {
		part, x, y := edit(a, b)
		found, a, b = append(found, part...), a[x:], b[y:]
	}
	return found
}

// item is an item of a list with its index there.
type item[T any] struct {
	value T
	at    int
}

// among returns the items of a list that are in the other one too.
func among[T comparable](list, other []T) (items []item[T]) {
	in := make(map[T]bool, len(other))
	for _, v := range other {
		in[v] = true
	}
	for i, v := range list {
		if in[v] {
			items = append(items, item[T]{v, i})
		}
	}
	return items
}

// edit returns the pairs that are found with the fewest edits, and how much of both
// lists was read: all of them, or what maxEdits edits reach (Myers: An O(ND) Difference
// Algorithm and Its Variations, 1986).
func edit[T comparable](a, b []item[T]) (found []pair, readA, readB int) {
	var all []reach
	for d := 0; ; d++ {
		now, best := make(reach, 2*d+1), 0
		for k := -d; k <= d; k += 2 {
			x, _ := begin(all, d, k, len(a), len(b))
			for x >= 0 && x < len(a) && x-k < len(b) && a[x].value == b[x-k].value {
				x++
			}
			now[k+d] = int32(x)
			if x == len(a) && x-k == len(b) {
				return backtrack(a, b, all, k, x), len(a), len(b)
			}
			// Of the diagonals that reach as far, the one nearest to the middle.
			if more := 2*x - k - (2*now.at(best) - best); x >= 0 && (k == -d || more > 0 || more == 0 && max(k, -k) < max(best, -best)) {
				best = k
			}
		}
		if d == maxEdits {
			x := now.at(best)
			return backtrack(a, b, all, best, x), x, x - best
		}
		all = append(all, now)
	}
}

// reach is how much of a is read after so many edits, by the diagonal from the
// lowest one; -1 for one that nothing leads to.
type reach []int32

func (r reach) at(k int) int {
	if i := k + len(r)/2; 0 <= i && i < len(r) {
		return int(r[i])
	}
	return -1
}

// begin returns how much of a is read on diagonal k by the d-th edit, -1 if none
// leads there, and the diagonal that it comes from.
func begin(all []reach, d, k, lenA, lenB int) (x, from int) {
	if d == 0 {
		return 0, 0
	}
	x = -1
	if left := all[d-1].at(k - 1); left >= 0 && left < lenA {
		x, from = left+1, k-1
	}
	if above := all[d-1].at(k + 1); above > x && above-k <= lenB {
		x, from = above, k+1
	}
	return x, from
}

// backtrack returns the pairs on the way that ends at x on diagonal k after as many
// edits as all has.
func backtrack[T any](a, b []item[T], all []reach, k, x int) (found []pair) {
	for d := len(all); d >= 0; d-- {
		began, from := begin(all, d, k, len(a), len(b))
		for ; x > began; x-- {
			found = append(found, pair{a[x-1].at, b[x-1-k].at})
		}
		if d > 0 {
			x, k = all[d-1].at(from), from
		}
	}
	slices.Reverse(found)
	return found
}

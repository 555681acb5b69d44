package diff

import "slices"

// pair is an index of base and one of head.
type pair struct{ base, head int }

// Bounds of an alignment: of two lists whose product is above maxCells and that
// differ in more than maxEdits places, pieces are aligned that long.
const (
	maxCells = 1 << 20
	maxEdits = 1000
	piece    = 500
)

// align returns the indexes of a longest common subsequence of two lists, and of
// two as long the one in which less is moved. Of long lists that have little in
// common it may be shorter than the longest.
func align(base, head []int) []pair {
	var found, tail []pair
	from, to, toHead := 0, len(base), len(head)
	for from < to && from < toHead && base[from] == head[from] {
		found = append(found, pair{from, from})
		from++
	}
	for to > from && toHead > from && base[to-1] == head[toHead-1] {
		to, toHead = to-1, toHead-1
		tail = append(tail, pair{to, toHead})
	}
	a, b := among(base[from:to], head[from:toHead], from), among(head[from:toHead], base[from:to], from)
	pieces := 1
	if len(a)*len(b) > maxCells {
		if edits, ok := fewEdits(a, b); ok {
			found, pieces = append(found, edits...), 0
		} else {
			pieces = (max(len(a), len(b)) + piece - 1) / piece
		}
	}
	for i := range pieces {
		found = append(found, aligned(a[len(a)*i/pieces:len(a)*(i+1)/pieces], b[len(b)*i/pieces:len(b)*(i+1)/pieces])...)
	}
	slices.Reverse(tail)
	return append(found, tail...)
}

// item is an item of a list with its index there.
type item struct{ value, at int }

// among returns the items of a list that are in the other one too.
func among(list, other []int, from int) (items []item) {
	in := make(map[int]bool, len(other))
	for _, v := range other {
		in[v] = true
	}
	for i, v := range list {
		if in[v] {
			items = append(items, item{v, from + i})
		}
	}
	return items
}

// aligned is align by a table of all pairs.
func aligned(a, b []item) (found []pair) {
	const none, skipBase, skipHead, both = 0, 1, 2, 3
	steps := make([]uint8, len(a)*len(b))
	below, row := make([]int64, len(b)+1), make([]int64, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		below, row = row, below
		row[len(b)] = 0
		for j := len(b) - 1; j >= 0; j-- {
			step, score := uint8(skipBase), below[j]
			if row[j+1] > score {
				step, score = skipHead, row[j+1]
			}
			if a[i].value == b[j].value {
				// One more pair counts more than all that is moved less.
				moved := int64(a[i].at - b[j].at)
				if s := below[j+1] + 1<<40 - max(moved, -moved); s >= score {
					step, score = both, s
				}
			}
			steps[i*len(b)+j], row[j] = step, score
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch steps[i*len(b)+j] {
		case both:
			found = append(found, pair{a[i].at, b[j].at})
			i, j = i+1, j+1
		case skipHead:
			j++
		default:
			i++
		}
	}
	return found
}

// fewEdits is align for lists that differ in at most maxEdits places (Myers: An
// O(ND) Difference Algorithm and Its Variations, 1986).
func fewEdits(a, b []item) (found []pair, ok bool) {
	var all []reach
	for d := range maxEdits + 1 {
		now := make(reach, 2*d+1)
		for k := -d; k <= d; k += 2 {
			x, _ := begin(all, d, k, len(a), len(b))
			for x >= 0 && x < len(a) && x-k < len(b) && a[x].value == b[x-k].value {
				x++
			}
			now[k+d] = int32(x)
			if x == len(a) && x-k == len(b) {
				return backtrack(a, b, all, k), true
			}
		}
		all = append(all, now)
	}
	return nil, false
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

// backtrack returns the pairs on the way that ends on diagonal k after as many edits
// as all has.
func backtrack(a, b []item, all []reach, k int) (found []pair) {
	x := len(a)
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

// rising returns a longest part of pairs, which are in the order of base, that is in
// the order of head too.
func rising(pairs []pair) []pair {
	var last []int // of the parts of each length, where the one with the least end ends
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(last, p.head, func(at, head int) int { return pairs[at].head - head })
		if before[i] = -1; n > 0 {
			before[i] = last[n-1]
		}
		if n == len(last) {
			last = append(last, i)
		} else {
			last[n] = i
		}
	}
	found := make([]pair, len(last))
	if len(last) > 0 {
		for i, at := len(last)-1, last[len(last)-1]; i >= 0; i, at = i-1, before[at] {
			found[i] = pairs[at]
		}
	}
	return found
}

package diff

// pair is an index of base and one of head.
type pair struct{ base, head int }

// maxWindow bounds the work of align: it compares so many items of each list at a time.
const maxWindow = 3000

// align returns the indexes of a longest common subsequence of two lists. Where more
// than maxWindow items are shared, it is that of one window after the other, each of
// which starts after the last pair: long lists take time in proportion to their length.
func align[T comparable](base, head []T) (found []pair) {
	a, b := among(base, head), among(head, base)
	for len(a) > 0 && len(b) > 0 {
		if a[0].value == b[0].value {
			found = append(found, pair{a[0].at, b[0].at})
			a, b = a[1:], b[1:]
			continue
		}
		part, x, y := common(a[:min(len(a), maxWindow)], b[:min(len(b), maxWindow)])
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

// common returns a longest common subsequence of two windows, and how much of them it
// reaches; all of them where that is little, so that the next windows differ.
func common[T comparable](a, b []item[T]) (found []pair, readA, readB int) {
	width := len(b) + 1
	length := make([]uint16, (len(a)+1)*width) // for a from i on and b from j on
	for i := len(a) - 1; i >= 0; i-- {
		row, below := length[i*width:], length[(i+1)*width:]
		for j := len(b) - 1; j >= 0; j-- {
			if row[j] = max(row[j+1], below[j]); a[i].value == b[j].value {
				row[j] = below[j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].value == b[j].value:
			found = append(found, pair{a[i].at, b[j].at})
			i, j = i+1, j+1
			readA, readB = i, j
		case length[(i+1)*width+j] > length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	if readA+readB < maxWindow {
		readA, readB = len(a), len(b)
	}
	return found, readA, readB
}

package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Part says which part of all scenarios is meant: I of N, from 1. The zero value
// is all of them.
type Part struct{ I, N int }

// maxTotal bounds the number of parts: GitHub starts no more jobs of a matrix.
const maxTotal = 256

// ParsePart reads a part as i/N.
func ParsePart(text string) (p Part, err error) {
	const want = "want i/N, such as 1/3, with i from 1 to N"
	i, n, ok := strings.Cut(text, "/")
	if !ok {
		return p, errors.New(want)
	}
	if p.I, err = strconv.Atoi(i); err == nil {
		p.N, err = strconv.Atoi(n)
	}
	if err != nil || p.I < 1 || p.I > p.N || p.String() != text {
		return Part{}, errors.New(want)
	}
	return p, CheckTotal(p.N)
}

// CheckTotal refuses a number of parts that cannot be had.
func CheckTotal(n int) error {
	if n < 1 || n > maxTotal {
		return fmt.Errorf("want 1 to %d parts", maxTotal)
	}
	return nil
}

// String returns the part as i/N, empty for all.
func (p Part) String() string {
	if p == (Part{}) {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.I, p.N)
}

// Share is what one part has.
type Share struct {
	Part
	// IDs are its scenarios, in the order in which they were given.
	IDs []string
	// Estimate is how long they take one after another, in milliseconds, nil where
	// no time is known.
	Estimate *int64
}

// Split shares the scenarios out among total parts: longest first, each into the
// part that has the least. One whose time is not known counts as the median of
// those that are. What a part gets does not depend on the order of ids, each of
// which is there once.
func Split(ids []string, times map[string]int64, total int) []Share {
	weights, known := weigh(ids, times)
	order := slices.Clone(ids)
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	shares, counts := make([]Share, total), make([]int, total)
	loads := make([]int64, total)
	at := map[string]int{}
	for _, id := range order {
		least := 0
		for i := range loads {
			if cmp.Or(cmp.Compare(loads[i], loads[least]), cmp.Compare(counts[i], counts[least])) < 0 {
				least = i
			}
		}
		at[id] = least
		loads[least] += weights[id]
		counts[least]++
	}
	for i := range shares {
		shares[i].Part = Part{i + 1, total}
		if known {
			shares[i].Estimate = &loads[i]
		}
	}
	for _, id := range ids {
		shares[at[id]].IDs = append(shares[at[id]].IDs, id)
	}
	return shares
}

// weigh returns what each scenario counts for, and whether these are times.
func weigh(ids []string, times map[string]int64) (weights map[string]int64, known bool) {
	var all []int64
	for _, id := range ids {
		if ms, ok := times[id]; ok {
			all = append(all, ms)
		}
	}
	usual := int64(1)
	if known = len(all) > 0; known {
		usual = Median(all)
	}
	weights = make(map[string]int64, len(ids))
	for _, id := range ids {
		if ms, ok := times[id]; ok {
			weights[id] = ms
		} else {
			weights[id] = usual
		}
	}
	return weights, known
}

// Median returns the middle of the times, the earlier of two. There is one at least.
func Median(times []int64) int64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)-1)/2]
}

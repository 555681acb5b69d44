package diff

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// longest returns the length of a longest common subsequence, by the book.
func longest(a, b []int) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if row[j+1] = max(above, row[j]); a[i] == b[j] {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// checkPairs fails unless pairs are equal items in the order of both lists.
func checkPairs(t *testing.T, a, b []int, pairs []pair) {
	t.Helper()
	last := pair{-1, -1}
	for _, p := range pairs {
		if p.base <= last.base || p.head <= last.head || a[p.base] != b[p.head] {
			t.Fatalf("pair %v after %v of %v and %v, want equal items in order", p, last, a, b)
		}
		last = p
	}
}

func random(r *rand.Rand, n, kinds int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = r.IntN(kinds)
	}
	return list
}

func TestAlign_FindsALongestSubsequence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := random(r, r.IntN(12), 1+r.IntN(5)), random(r, r.IntN(12), 1+r.IntN(5))
		got := align(a, b)
		checkPairs(t, a, b, got)
		if len(got) != longest(a, b) {
			t.Fatalf("align(%v, %v) has %d pairs, want %d", a, b, len(got), longest(a, b))
		}
	}
}

// Long lists take time and memory in proportion, however they differ.
func TestAlign_LongLists(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	few := random(r, n, 2)
	edited := slices.Clone(few)
	for i := range 200 {
		edited = slices.Insert(edited, i*499, 7) // is not shared
		edited[i*300+1] = 1 - edited[i*300+1]
	}
	same, other := make([]int, n), make([]int, n)
	for i := range other {
		other[i] = i
	}
	reversed := slices.Clone(other)
	slices.Reverse(reversed)
	for name, tt := range map[string]struct {
		a, b  []int
		least int
	}{
		"equal":          {same, same, n},
		"all different":  {same, other[1:], 0},
		"equal, shorter": {same, same[:n/2], n / 2},
		"few kinds":      {few, random(r, n, 2), n / 2},
		"few edits":      {few, edited, n - 400},
		"reversed":       {other, reversed, 0},
		"shuffled":       {other, r.Perm(n), 1},
	} {
		got := align(tt.a, tt.b)
		checkPairs(t, tt.a, tt.b, got)
		if len(got) < tt.least {
			t.Errorf("align of lists that are %s has %d pairs, want %d", name, len(got), tt.least)
		}
	}
}

package scenarios

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// assigned returns the part of each scenario, and how often it is there.
func assigned(shares []Share) (part map[string]int, count map[string]int) {
	part, count = map[string]int{}, map[string]int{}
	for _, s := range shares {
		for _, id := range s.IDs {
			part[id] = s.I
			count[id]++
		}
	}
	return part, count
}

func TestSplit(t *testing.T) {
	times := map[string]int64{"a": 10, "b": 70, "c": 30, "d": 20, "gone": 1000}
	got := Split([]string{"a", "b", "new", "c", "d"}, times, 2)
	ms := func(n int64) *int64 { return &n }
	// The median of 10, 20, 30 and 70 is the earlier one in the middle.
	want := []Share{
		{Part{1, 2}, []string{"a", "b"}, ms(80)},
		{Part{2, 2}, []string{"new", "c", "d"}, ms(70)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Split (-want +got):\n%s", diff)
	}
	for _, times := range []map[string]int64{nil, {"a": 0, "b": 0, "new": 0, "c": 0}} {
		for _, s := range Split([]string{"a", "b", "new", "c"}, times, 2) {
			if len(s.IDs) != 2 {
				t.Errorf("by the times %v part %s has %q, want two each", times, s.Part, s.IDs)
			}
		}
	}
	for _, s := range Split([]string{"a", "b", "c"}, map[string]int64{"gone": 5}, 2) {
		if s.Estimate != nil {
			t.Errorf("Split without a known time estimates %d ms, want nothing", *s.Estimate)
		}
	}
}

// Whatever there is, each scenario is in exactly one part, whichever order it came
// in; parts keep that order, and none is heavier than the lightest by more than its
// longest scenario.
func TestSplit_Properties(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 3))
	for round := range 400 {
		total := 1 + random.IntN(9)
		var ids []string
		times := map[string]int64{}
		for i := range random.IntN(60) {
			id := fmt.Sprintf("s/%d\n\u00e9", i)
			ids = append(ids, id)
			if random.IntN(4) > 0 {
				times[id] = random.Int64N(5) * random.Int64N(2000)
			}
		}
		random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		shares := Split(ids, times, total)
		part, count := assigned(shares)
		for _, id := range ids {
			if count[id] != 1 {
				t.Fatalf("round %d: %q is in %d parts, want 1", round, id, count[id])
			}
		}
		if len(part) != len(ids) || len(shares) != total {
			t.Fatalf("round %d: %d scenarios in %d parts, want %d in %d", round, len(part), len(shares), len(ids), total)
		}
		sorted := slices.Sorted(slices.Values(ids))
		again, _ := assigned(Split(sorted, times, total))
		if diff := cmp.Diff(part, again); diff != "" {
			t.Fatalf("round %d: another order is another split:\n%s", round, diff)
		}
		checkBalance(t, shares, ids, times)
	}
}

func checkBalance(t *testing.T, shares []Share, ids []string, times map[string]int64) {
	t.Helper()
	weights, _ := weigh(ids, times)
	var least, most int64 = 1 << 60, 0
	for _, s := range shares {
		var load, longest int64
		at := -1
		for _, id := range s.IDs {
			load += weights[id]
			longest = max(longest, weights[id])
			if i := slices.Index(ids, id); i < at {
				t.Fatalf("part %s is in another order than the scenarios", s.Part)
			} else {
				at = i
			}
		}
		if s.Estimate != nil && *s.Estimate != load {
			t.Fatalf("part %s is estimated to take %d ms, want %d", s.Part, *s.Estimate, load)
		}
		least, most = min(least, load), max(most, load)
	}
	var longest int64
	for _, w := range weights {
		longest = max(longest, w)
	}
	if most-least > longest {
		t.Fatalf("parts take from %d to %d ms, want a difference of at most the longest scenario, %d", least, most, longest)
	}
}

func TestParsePart(t *testing.T) {
	for text, want := range map[string]Part{"1/1": {1, 1}, "3/3": {3, 3}, "256/256": {256, 256}} {
		if got, err := ParsePart(text); err != nil || got != want || got.String() != text {
			t.Errorf("ParsePart(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "0/3", "4/3", "-1/3", "1/0", "1/-3", "1/3/3", "01/3", "+1/3", " 1/3", "a/b", "1/257", "1/99999999999999999999"} {
		if got, err := ParsePart(text); err == nil {
			t.Errorf("ParsePart(%q) = %v, want an error", text, got)
		}
	}
}

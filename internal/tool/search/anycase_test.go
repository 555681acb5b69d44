package search

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestAnyCase_Folds(t *testing.T) {
	for _, c := range []struct {
		query, text string
		from, to    int
	}{
		{"hello", "say HeLLo there", 4, 9},
		{"kelvin", "300 \u212aELVIN", 4, 12}, // the Kelvin sign is three bytes
		{"\u212a", "a k", 2, 3},
		{"ss", "a\u017f\u017f", 1, 5}, // the long s
		{"straße", "STRAẞE", 0, 8},
		{"strasse", "straße", -1, -1}, // that would be full folding
		{"i", "\u0130", -1, -1},       // the dotted capital I folds to itself alone
		{"σίσυφος", "ΣΊΣΥΦΟΣ", 0, 14}, // three forms of sigma
		{"ПРИВЕТ", "ну, привет", 6, 18},
		{"日本", "x日本y", 1, 7},
		{"a.b", "axb a.b", 4, 7}, // it is no pattern
		{"aab", "aaab", 1, 4},
		{"zz top", "zzz zz top", 4, 10},
		{"é", "e\u0301", -1, -1}, // no normal forms
		{"x\ny", "a X\nY", 2, 5},
		{"long query", "long quer", -1, -1},
		{"q", "", -1, -1},
		{"", "x", 0, 0},
		{"a\ufffd", "a", -1, -1},
		{"\ufffdb", "a \xff\xfeB", 3, 5}, // it stands for each byte that is no text
	} {
		q := NewAnyCase(c.query)
		if from, to := q.Index([]byte(c.text)); from != c.from || to != c.to {
			t.Errorf("Index(%q in %q) = %d, %d, want %d, %d", c.query, c.text, from, to, c.from, c.to)
		}
	}
}

func TestFold_OneForAllOfAnOrbit(t *testing.T) {
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if other := unicode.SimpleFold(c); fold(c) != fold(other) {
			t.Fatalf("fold(%U) = %U, fold(%U) = %U, want the same", c, fold(c), other, fold(other))
		}
	}
}

func FuzzAnyCase(f *testing.F) {
	f.Add("needle", "a NEEDLE in hay")
	f.Add("\u212a", "kK")
	f.Fuzz(func(t *testing.T, query, text string) {
		q := NewAnyCase(query)
		if query == "" || !utf8.ValidString(query) || !utf8.ValidString(text) {
			return
		}
		from, _ := q.Index([]byte(text))
		if want := slowIndex(query, text); from != want {
			t.Fatalf("Index(%q in %q) = %d, want %d", query, text, from, want)
		}
	})
}

// slowIndex compares character by character at each place.
func slowIndex(query, text string) int {
	want := []rune(query)
	for i := range text {
		got := []rune(text[i:])
		if len(got) >= len(want) && strings.EqualFold(string(got[:len(want)]), string(want)) {
			return i
		}
	}
	return -1
}

package control

import (
	"strings"
	"testing"
	"time"
)

func TestPrefix_MeasuresWhatIsNotShown(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 0, " ": 0, "ü": 0, "\xff": 0, "\x9b1m": 0,
		"\x00a": 1, "\ta": 1, "\n": 1, "\x7f": 1, "\u0085": 2, "\u202ea": 3, "\u200f": 3,
		"\x1b": 1, "\x1b[1;31mred": 7, "\x1b[": 2, "\x1b[1": 3, "\x1b[1ü": 3, "\u009b2Jx": 4,
		"\x1b]0;title\x07x": 10, "\x1b]8;;http://x\x1b\\x": 15, "\x1bPq\u009cx": 5, "\x1b]no end": 2, "\u009dno end": 2,
		"\x1b]a\x1b[0m": 3, "\x1b]a\u009b0m": 3, "\u009da\x18": 3, "\x1bPü\x1a": 4, "\x1b]\u00a0\x07": 5, "\x1b]\x1b]": 2,
		"\x1b(Bx": 3, "\x1b F": 3, "\x1b[?25lx": 6, "\x1bcx": 2, "\x1b(": 2, "\x1bü": 1,
	} {
		if got := Prefix(s); got != want {
			t.Errorf("Prefix(%q) = %d, want %d", s, got, want)
		}
	}
}

// Each byte is looked at a bounded number of times, whatever is opened and never ended.
func TestPrefix_LinearInOpenings(t *testing.T) {
	for _, opening := range []string{"\x1b]", "\x1b]x", "\u009d", "\u0090\x1bP"} {
		began := time.Now()
		for s := strings.Repeat(opening, 1e5); s != "" && time.Since(began) < time.Second; {
			s = s[max(Prefix(s), 1):]
		}
		if d := time.Since(began); d >= time.Second {
			t.Errorf("%q 100,000 times takes more than %v", opening, d)
		}
	}
}

// Whatever s holds, one step goes on within it.
func FuzzPrefix(f *testing.F) {
	for _, s := range []string{"\x1b[0m", "\x1b]x\x07", "\u009b", "a\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := Prefix(s); n < 0 || n > len(s) {
			t.Errorf("Prefix(%q) = %d, want 0 to %d", s, n, len(s))
		}
	})
}

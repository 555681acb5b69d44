package control

import "testing"

func TestPrefix_MeasuresWhatIsNotShown(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 0, " ": 0, "ü": 0, "\xff": 0, "\x9b1m": 0,
		"\x00a": 1, "\ta": 1, "\n": 1, "\x7f": 1, "\u0085": 2, "\u202ea": 3, "\u200f": 3,
		"\x1b": 1, "\x1b[1;31mred": 7, "\x1b[": 2, "\x1b[1": 3, "\x1b[1ü": 3, "\u009b2Jx": 4,
		"\x1b]0;title\x07x": 10, "\x1b]8;;http://x\x1b\\x": 15, "\x1bPq\u009cx": 5, "\x1b]no end": 2, "\u009dno end": 2,
		"\x1b(Bx": 3, "\x1b F": 3, "\x1b[?25lx": 6, "\x1bcx": 2, "\x1b(": 2, "\x1bü": 1,
	} {
		if got := Prefix(s); got != want {
			t.Errorf("Prefix(%q) = %d, want %d", s, got, want)
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

package term

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut_CountsCells(t *testing.T) {
	for _, tt := range []struct {
		s    string
		max  int
		want string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd…"}, {"abcdef", 1, "…"}, {"abcdef", 0, ""}, {"abcdef", -1, ""}, {"", 0, ""},
		{"漢字テスト", 10, "漢字テスト"}, {"漢字テスト", 9, "漢字テス…"}, {"漢字テスト", 8, "漢字テ…"}, {"漢字", 1, "…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		// Terminals that do not join a family or a syllable show its parts.
		{"ab👩\u200d👩\u200d👧cd", 10, "ab👩\u200d👩\u200d👧cd"}, {"ab👩\u200d👩\u200d👧cd", 9, "ab👩\u200d👩\u200d👧…"}, {"ab👩\u200d👩\u200d👧cd", 8, "ab…"},
		{"क्षक्षक्ष", 6, "क्षक्षक्ष"}, {"क्षक्षक्ष", 5, "क्षक्ष…"},
		{"ab👩\u200d👩\u200d👧cd", 4, "ab…"}, {"a\xffbcd", 3, "a\xff…"},
	} {
		if got := Cut(tt.s, tt.max); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.s, tt.max, got, tt.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("漢字 and e\u0301 and 👩\u200d👧", 7)
	f.Add("\U0001F1E6\U0001F1E7\U0001F1E8", 2)
	f.Fuzz(func(t *testing.T, s string, max int) {
		s = OneLine(s, 200) // what is shown is clean
		got := Cut(s, max)
		if len(got) > 0 && Cells(got) > max {
			t.Errorf("Cut(%q, %d) = %q, which takes %d cells", s, max, got, Cells(got))
		}
		if head := strings.TrimSuffix(got, Ellipsis); got != s && !strings.HasPrefix(s, head) || !utf8.ValidString(got) {
			t.Errorf("Cut(%q, %d) = %q, want its beginning", s, max, got)
		}
	})
}

func TestScreen_FilesHaveTheWidthOfALog(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, s := range []Screen{{}, NewScreen(file, os.Getenv), NewScreen(&strings.Builder{}, os.Getenv), {terminal: file}} {
		if s.Width() != PlainWidth || s.colours {
			t.Errorf("screen %+v is %d wide, want %d and no colours", s, s.Width(), PlainWidth)
		}
	}
	if NewScreen(file, os.Getenv).Terminal() {
		t.Error("a file is a terminal")
	}
}

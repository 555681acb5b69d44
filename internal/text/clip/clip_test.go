package clip

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUTF8_EachBadByteIsReplaced(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain é€😀": "plain é€😀", "a\xffb": "a\uFFFDb", "\xff\xfe": "\uFFFD\uFFFD",
		"\xe2\x82": "\uFFFD\uFFFD", "\xed\xa0\x80": "\uFFFD\uFFFD\uFFFD", "x\x00y": "x\x00y",
	} {
		if got := UTF8(in); got != want {
			t.Errorf("UTF8(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPrefix_EndsOnACodePoint(t *testing.T) {
	for _, c := range []struct {
		s    string
		max  int
		want string
		cut  bool
	}{
		{"abc", 3, "abc", false}, {"abcd", 3, "abc", true}, {"", 0, "", false}, {"a", 0, "", true}, {"a", -1, "", true},
		{"aé", 2, "a", true}, {"aé", 3, "aé", false}, {"aéb", 3, "aé", true},
		{"€€", 3, "€", true}, {"€€", 4, "€", true}, {"€€", 5, "€", true}, {"€", 2, "", true},
		{"😀😀", 7, "😀", true}, {"😀", 3, "", true},
		{"\xff\xff\xff\xff", 2, "\xff\xff", true}, {"\x80\x80\x80\x80\x80", 3, "\x80\x80\x80", true}, {"a\x80\x80\x80\x80", 3, "a\x80\x80", true},
	} {
		got, cut := Prefix(c.s, c.max)
		if got != c.want || cut != c.cut {
			t.Errorf("Prefix(%q, %d) = %q, %v, want %q, %v", c.s, c.max, got, cut, c.want, c.cut)
		}
	}
}

func TestChars_CountsCharacters(t *testing.T) {
	for _, c := range []struct {
		s    string
		max  int
		want string
		cut  bool
	}{{"é€😀", 3, "é€😀", false}, {"é€😀x", 3, "é€😀", true}, {"", 0, "", false}, {"a", 0, "", true}} {
		if got, cut := Chars(c.s, c.max); got != c.want || cut != c.cut {
			t.Errorf("Chars(%q, %d) = %q, %v, want %q, %v", c.s, c.max, got, cut, c.want, c.cut)
		}
	}
}

func TestOneLine_TrimsAndJoins(t *testing.T) {
	if got, cut := OneLine(" \na\r\nb\n ", 10); got != "a  b" || cut {
		t.Errorf("OneLine = %q, %v, want two blanks between a and b", got, cut)
	}
	if got, cut := OneLine("abc\nd", 4); got != "abc " || !cut {
		t.Errorf("OneLine = %q, %v, want the first four characters", got, cut)
	}
}

// FuzzPrefix holds Prefix against its promise: the longest prefix that fits
// and breaks no code point.
func FuzzPrefix(f *testing.F) {
	f.Add("aé€😀", 4)
	f.Add("\xff\x80\xe2\x82", 3)
	f.Fuzz(func(t *testing.T, s string, max int) {
		head, cut := Prefix(s, max)
		if !strings.HasPrefix(s, head) || cut != (head != s) || len(head) > max && max >= 0 && s != "" {
			t.Fatalf("Prefix(%q, %d) = %q, %v", s, max, head, cut)
		}
		if !cut || max < 0 {
			return
		}
		// The next code point, or bad byte, would not have fitted.
		if _, size := utf8.DecodeRuneInString(s[len(head):]); len(head)+size <= max {
			t.Errorf("Prefix(%q, %d) = %q, want %d bytes more", s, max, head, size)
		}
		if utf8.ValidString(s) && !utf8.ValidString(head) {
			t.Errorf("Prefix(%q, %d) = %q, want no broken code point", s, max, head)
		}
	})
}

// A copy must not fill more memory than Max either.
func TestHead(t *testing.T) {
	for _, pieces := range [][]string{{"abc"}, {"abc", "de"}, {"abc", "def"}, {"abcdefg"}, {"abcde", "f", "g"}} {
		h := &Head{Max: 5}
		for _, p := range pieces {
			if n, err := io.Copy(h, strings.NewReader(p)); int(n) != len(p) || err != nil {
				t.Errorf("Copy(%q) = %d, %v, want all of it", p, n, err)
			}
		}
		all := strings.Join(pieces, "")
		if want := all[:min(len(all), 5)]; h.String() != want || string(h.Bytes()) != want || h.Over != (len(all) > 5) {
			t.Errorf("of %q it holds %q, over %t, want %q", pieces, h, h.Over, want)
		}
	}
}

func TestShort(t *testing.T) {
	for give, want := range map[string]string{"": "", "abcd": "abcd", "abcde": "abcd...", "äääb": "äääb", "ääääb": "ääää..."} {
		if got := Short(give, 4); got != want {
			t.Errorf("Short(%q, 4) = %q, want %q", give, got, want)
		}
	}
}

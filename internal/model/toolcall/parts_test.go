package toolcall

import (
	"strings"
	"testing"
)

func TestKeyFollows(t *testing.T) {
	for text, want := range map[string]bool{
		`"a": 1`:          true,
		` "a" : 1`:        true,
		`'a': 1`:          true,
		`a: 1`:            true,
		`a": 1`:           true,
		`"a: 1`:           true,
		`"a: "b"`:         true,
		"// so\n\"a\": 1": true,
		"/* so */ a: 1":   true,
		`"a", "b"`:        false,
		`"a"`:             false,
		`a := 1`:          false,
		`std::a`:          false,
		`http://a`:        false,
		`a, b`:            false,
		`}`:               false,
		``:                false,
		`"a`:              false,
		`%s: 1`:           false,
		"// so":           false,
	} {
		if got := keyFollows(text, 0); got != want {
			t.Errorf("keyFollows(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestScanner_Next finds triggers wherever they stand in a text.
func TestScanner_Next(t *testing.T) {
	const chunk = 1000
	for _, at := range []int{0, 1, chunk - 1, chunk} {
		for _, begin := range triggers {
			text := strings.Repeat(".", at) + string(begin) + strings.Repeat(".", chunk)
			s := newScanner(text, Options{})
			if got := []int{s.next(0), s.next(at + 1)}; got[0] != at || got[1] != len(text) {
				t.Errorf("next = %d with %q at %d, then the end", got, begin, at)
			}
		}
	}
	s := newScanner("{<[_={", Options{})
	for i := range 6 {
		if got := s.next(i); got != i {
			t.Errorf("next(%d) = %d, want what begins there", i, got)
		}
	}
}

func TestCloseTags(t *testing.T) {
	for text, want := range map[string]struct {
		n     int
		rest  string
		whole bool
	}{
		`</a></b>c`:            {2, `c`, true},
		" </a>\n</tool_call>c": {2, `c`, true},
		`</tool_call>c`:        {2, `c`, false},
		`}</a></b>c`:           {2, `c`, true},
		`]]></a></b>c`:         {2, `c`, true},
		`</a>c`:                {2, `c`, false},
		`x</a></b>`:            {2, `x</a></b>`, false},
		`</a></b></c>`:         {1, `</b></c>`, true},
		``:                     {1, ``, false},
	} {
		end, whole := closeTags(text, 0, want.n)
		if text[end:] != want.rest || whole != want.whole {
			t.Errorf("closeTags(%q, %d) leaves %q, %v, want %q, %v", text, want.n, text[end:], whole, want.rest, want.whole)
		}
	}
}

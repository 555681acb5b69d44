package toolcall

import (
	"strings"
	"testing"
)

func TestClosing(t *testing.T) {
	for text, want := range map[string]struct {
		rest  string
		known bool
	}{
		`{a: [1, {b: 2}]} x`:              {` x`, true},
		`{a: "}" + '}' + b} x`:            {` x`, true},
		`{a: don't} x`:                    {` x`, true},
		`{a: "b" as const} x`:             {``, false},
		`{a: "say "hi""} x`:               {``, false},
		`{a: "open} x`:                    {``, false},
		`{a: [1} x`:                       {``, false},
		"{a: [1\nTOOL_CALL:\n{}":          {"TOOL_CALL:\n{}", true},
		"{a: \"\nTOOL_CALL:\n\", b: 1} x": {` x`, true},
		"{a: \"b\"\n c: \"d\"\n} x":       {` x`, true},
		"{a: [1\n> **TOOL_CALL:** [":      {"> **TOOL_CALL:** [", true},
	} {
		end, known := closing(text, 0)
		if text[end:] != want.rest || known != want.known {
			t.Errorf("closing(%q) leaves %q, known %v, want %q, %v", text, text[end:], known, want.rest, want.known)
		}
	}
}

func TestScanQuoted(t *testing.T) {
	for text, want := range map[string]string{
		`"a" b`:              `a`,
		`"a\"b" c`:           `a\"b`,
		`'a"b' c`:            `a"b`,
		"`a'b` c":            `a'b`,
		`“a” b`:              `a`,
		`“a" b`:              `a`,
		`„a“ b`:              `a`,
		`‘a’ b`:              `a`,
		`"日本“" b`:            `日本“`,
		`"a`:                 ``,
		`"a\"`:               ``,
		`"a\`:                ``,
		`"" b`:               ``,
		`"` + "\xff" + `" b`: "\xff",
	} {
		q := scanQuoted(text, 0)
		if got := text[q.from:q.to]; q.closed && got != want || q.closed == (want == "" && text != `"" b`) {
			t.Errorf("scanQuoted(%q) = %q, closed %v, want %q", text, got, q.closed, want)
		}
	}
}

func TestTagAt(t *testing.T) {
	for text, want := range map[string]tag{
		`<a>x`:          {name: "a", end: 3},
		`<a b="c" d>x`:  {name: "a", end: 11},
		`</a >x`:        {name: "a", end: 5, closing: true},
		`</>x`:          {end: 3, closing: true},
		`<a/>x`:         {name: "a", end: 4, empty: true},
		"<a=\"b c\" >x": {name: "a=", value: "b c", end: 10},
		`<a=b/>x`:       {name: "a=", value: "b/", end: 6, empty: true},
		"<a=\nb>x":      {name: "a=", end: 6},
		`<|a|>x`:        {name: "|a|", end: 5},
		`<tool_call>`:   {name: "tool_call", end: 11},
	} {
		if got, ok := tagAt(text, 0); !ok || got != want {
			t.Errorf("tagAt(%q) = %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{``, `a`, `<`, `<a`, `< a>`, `<a<b>`, `<>`, `<!-- x -->`, `<` + strings.Repeat("a", maxTag) + `>`} {
		if got, ok := tagAt(text, 0); ok {
			t.Errorf("tagAt(%.20q) = %+v, want none", text, got)
		}
	}
}

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

// TestScanner_Next finds triggers wherever they stand in a text, and none that
// no object and no tag follows.
func TestScanner_Next(t *testing.T) {
	const chunk = 1000
	for _, at := range []int{0, 1, chunk - 1, chunk} {
		for _, begin := range triggers {
			head := strings.Repeat(".", at) + string(begin) + strings.Repeat(".", chunk)
			text := head + "{" + strings.Repeat("[_.", chunk)
			s := newScanner(text, Options{})
			if got := s.next(0); got != at {
				t.Errorf("next(0) = %d with %q at %d", got, begin, at)
			}
			if got := s.next(at + 1); got != len(head) {
				t.Errorf("next(%d) = %d behind %q, want %d, where the object begins", at+1, got, begin, len(head))
			}
			if got := s.next(len(head) + 1 + chunk); got != len(text) {
				t.Errorf("next(%d) = %d behind the last object, want the end", len(head)+1+chunk, got)
			}
		}
	}
	s := newScanner("{<[_{", Options{})
	for i := range 5 {
		if got := s.next(i); got != i {
			t.Errorf("next(%d) = %d, want what begins there", i, got)
		}
	}
	if got := newScanner("a_b [ ", Options{}).next(0); got != 1 {
		t.Errorf("next(0) = %d before an array that is open at the end, want 1", got)
	}
}

func TestFinder(t *testing.T) {
	f := finder{needle: "</"}
	for _, tt := range []struct{ from, want int }{{0, 2}, {1, 2}, {2, 2}, {3, 6}, {7, 9}, {8, 9}, {99, 9}} {
		if got := f.next("ab</ab</a", tt.from); got != tt.want {
			t.Errorf("next(%d) = %d, want %d", tt.from, got, tt.want)
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

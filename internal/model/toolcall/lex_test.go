package toolcall

import (
	"strings"
	"testing"
)

func TestClosing(t *testing.T) {
	for text, want := range map[string]struct {
		rest   string
		closed bool
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
		end, closed := Closing(text, 0)
		if text[end:] != want.rest || closed != want.closed {
			t.Errorf("Closing(%q) leaves %q, known %v, want %q, %v", text, text[end:], closed, want.rest, want.closed)
		}
	}
}

func TestQuotedAt(t *testing.T) {
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
		q := QuotedAt(text, 0)
		if got := text[q.From:q.To]; q.Closed && got != want || q.Closed == (want == "" && text != `"" b`) {
			t.Errorf("QuotedAt(%q) = %q, closed %v, want %q", text, got, q.Closed, want)
		}
	}
}

func TestTagAt(t *testing.T) {
	for text, want := range map[string]Tag{
		`<a>x`:         {Name: "a", End: 3},
		`<a b="c" d>x`: {Name: "a", End: 11},
		`</a >x`:       {Name: "a", End: 5, Closing: true},
		`</>x`:         {End: 3, Closing: true},
		`<a/>x`:        {Name: "a", End: 4, Empty: true},
		"<a=\"b\" >x":  {Name: `a="b"`, End: 8},
		`<|a|>x`:       {Name: "|a|", End: 5},
		`<tool_call>`:  {Name: "tool_call", End: 11},
	} {
		if got, ok := TagAt(text, 0); !ok || got != want {
			t.Errorf("TagAt(%q) = %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{``, `a`, `<`, `<a`, `< a>`, `<a<b>`, `<>`, `<!-- x -->`, `<` + strings.Repeat("a", MaxTag) + `>`} {
		if got, ok := TagAt(text, 0); ok {
			t.Errorf("TagAt(%.20q) = %+v, want none", text, got)
		}
	}
}

func TestFinder(t *testing.T) {
	var f Finder
	for _, tt := range []struct{ from, want int }{{0, 2}, {1, 2}, {2, 2}, {3, 6}, {7, 9}, {8, 9}, {99, 9}} {
		if got := f.Next("ab</ab</a", "</", tt.from); got != tt.want {
			t.Errorf("Next(%d) = %d, want %d", tt.from, got, tt.want)
		}
	}
}

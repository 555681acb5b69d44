package diff

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/schema"
)

// letters returns calls of the tools that the words name: a word is a tool, what
// follows a colon its argument, and what follows a blank how it went.
func letters(list string) (calls []string) {
	for word := range strings.SplitSeq(list, ", ") {
		word, how, _ := strings.Cut(word, " ")
		tool, argument, _ := strings.Cut(word, ":")
		calls = append(calls, strings.TrimSpace(fmt.Sprintf(`%s {"x":%q} %s`, tool, argument, how)))
	}
	return calls
}

// What a person says who looks at both lists.
func TestCompare_SeveralCalls(t *testing.T) {
	for _, tt := range []struct {
		base, head string
		want       []string
	}{
		{"a, b, c", "c, b, a", []string{"tools", "moved 3 c > 1 c", "moved 2 b > 2 b"}},
		{"r:1, b, r:2", "r:2, b, r:1", []string{"tools", "moved 3 r > 1 r", "moved 2 b > 2 b"}},
		{"a, b, c, d, e", "b, c, d, e, a", []string{"tools", "moved 1 a > 5 a"}},
		{"a, r:one, b", "a, x, r:two, b", []string{"tools", "inserted > 2 x", `arguments 2 r > 3 r; x: "one" > "two"`}},
		{"a, r:docs/a.md, r:docs/b.md, z", "a, r:docs/b.mdx, r:other, z", []string{
			"tools", `arguments 2 r > 2 r; x: "docs/a.md" > "docs/b.mdx"`, `arguments 3 r > 3 r; x: "docs/b.md" > "other"`,
		}},
		{"a, t fail, e, t", "a, t fail, e, t, e, t", []string{"tools", "inserted > 5 e", "inserted > 6 t"}},
		{"a, b", "a, b, x deny", []string{"tools,decisions", "inserted > 3 x"}},
		{"a, b, x deny", "a, b", []string{"tools,decisions", "dropped 3 x"}},
		{"a, x deny, x deny, b", "a, x deny, b", []string{"retries", "attempts 2 x > 2 x"}},
		{"a, x, x, b", "a, x, b", []string{"tools", "dropped 3 x"}}, // no retry: both were fine
		{"a, x:1 invalid, x:2", "a, x:3 invalid, x:2", []string{"tools", `arguments 2 x > 2 x; attempt 1: x: "1" > "3"`}},
		{"a, b:1 fail, c", "a, c, b:1", []string{"tools,results", "moved 3 c > 2 c", "result 2 b > 3 b"}},
		{"a, b, c, d", "d, c, b, a", []string{"tools", "moved 4 d > 1 d", "moved 3 c > 2 c", "moved 2 b > 3 b"}},
		{"a, b, c, d", "d, x, b, a", []string{"tools", "moved 4 d > 1 d", "inserted > 2 x", "moved 2 b > 3 b", "dropped 3 c"}},
		{"a, b, c", "c, a, b", []string{"tools", "moved 3 c > 1 c"}},
		{"a, b, c, d", "b, d, a, c", []string{"tools", "moved 2 b > 1 b", "moved 4 d > 2 d"}},
		{"b, x, a, c", "a, c, b", []string{"tools", "dropped 2 x", "moved 1 b > 3 b"}},
		{"a", "b", []string{"tools", "dropped 1 a", "inserted > 1 b"}},
		{"a:1, b, c", "b, a:2, c", []string{"tools", "dropped 1 a", "inserted > 2 a"}}, // not between the same calls
	} {
		base, head := usual(), usual()
		base.calls, head.calls = letters(tt.base), letters(tt.head)
		if diff := cmp.Diff(tt.want, brief(Compare(base.run(), head.run()))); diff != "" {
			t.Errorf("Compare of %q with %q (-want +got):\n%s", tt.base, tt.head, diff)
		}
	}
}

// The same is a difference in the other direction when the sides are changed.
func TestCompare_BothDirections(t *testing.T) {
	a, b := usual(), usual()
	b.calls = append(b.calls, `git_status {}`)
	there, back := Compare(a.run(), b.run()), Compare(b.run(), a.run())
	if there.Counts[Inserted] != 1 || back.Counts[Dropped] != 1 || back.Counts[Inserted] != 0 {
		t.Errorf("Compare counts %v, and of the sides changed %v, want one inserted and one dropped", there.Counts, back.Counts)
	}
}

// Two agents name the same tools in different ways.
func TestCompare_TwoAgents(t *testing.T) {
	ours, theirs := usual(), usual()
	ours.calls = []string{`execute_command {"command":"echo one"}`, `read_file {"path":"a"}`}
	theirs.calls = []string{`Bash {"command":"echo one","description":"says one"}`, `Read {"file_path":"a"}`}
	theirs.agent = "claude"
	if got := brief(Compare(ours.run(), theirs.run())); len(got) != 1 || got[0] != NameAgent {
		t.Errorf("Compare of two agents = %q, want nothing but that", got)
	}
	theirs.agent = ours.agent
	if got := Compare(ours.run(), theirs.run()).Counts; got[Dropped] != 2 || got[Inserted] != 2 {
		t.Errorf("Compare of one agent with itself counts %v, want other tools to be others", got)
	}
}

// Arguments of which the stream has a part are compared by that and their size.
func TestCompare_ArgumentsCut(t *testing.T) {
	one := func(preview string, size int64) *Run {
		r := &Run{}
		r.Add(&schema.Event{Data: &schema.ToolCallDetected{
			ToolCallID: new("c"), Tool: new("write_file"), ArgumentsPreview: schema.Some(preview), ArgumentsBytes: schema.Some(size),
		}})
		return r
	}
	for _, tt := range []struct {
		base, head *Run
		want       []Argument
	}{
		{one(`{"path":"a","content":"on`, 50), one(`{"path":"b","content":"on`, 50), []Argument{{"path", `"a"`, `"b"`}}},
		{one(`{"path":"a","content":"on\`, 50), one(`{"path":"a","content":"no\`, 50), []Argument{{"content", `"on"`, `"no"`}}},
		{one(`{"path":"a","content":"on`, 50), one(`{"path":"a","content":"on`, 60), []Argument{{"arguments", "50 bytes", "60 bytes"}}},
	} {
		d := Compare(tt.base, tt.head)
		if len(d.Calls) != 1 || cmp.Diff(tt.want, d.Calls[0].Arguments) != "" {
			t.Errorf("Compare = %+v, want %v", d.Calls, tt.want)
		}
		if len(d.Base.Notes) != 1 {
			t.Errorf("notes are %q, want that arguments are not whole", d.Base.Notes)
		}
	}
}

// Of arguments beyond the bound of what is held it is still seen that they changed.
func TestRun_HoldsABoundedPart(t *testing.T) {
	one := func(argument string) *Run {
		r := &Run{textBytes: maxHeld}
		r.detected(1, &schema.ToolCallDetected{ToolCallID: new("c"), Tool: new("t"), ArgumentsPreview: schema.Some(argument)})
		return r
	}
	if got := brief(Compare(one(`{"x":1}`), one(`{"x":1}`)))[0]; got != "" {
		t.Errorf("Compare of equal calls names %q, want nothing", got)
	}
	d := Compare(one(`{"x":1}`), one(`{"x":2}`))
	if d.Counts[Arguments] != 1 || len(d.Head.Notes) == 0 {
		t.Errorf("Compare counts %v with notes %q, want other arguments and a note", d.Counts, d.Head.Notes)
	}
}

// Nothing of a stream is acted upon by a terminal or a job, and a difference that
// cannot be seen is written out.
func TestCompare_HostileTexts(t *testing.T) {
	base, head := usual(), usual()
	base.calls = []string{`t {"x":"ab"}`}
	head.calls = []string{"t {\"x\":\"a\\u202eb\\u001b[2J\\n::error::x\"}", "\x1b[31mevil\u202e {\"##[\":1}"}
	head.final = "\x1b]0;x\a::error::x\n##[command]"
	d := Compare(base.run(), head.run())
	if got, want := d.Calls[0].Arguments[0].Head, `"a\u202eb\x1b[2J\n::error::x"`; got != want {
		t.Errorf("the argument is shown as %q, want %q", got, want)
	}
	text := fmt.Sprintf("%+v", d.Calls[1]) + d.Calls[1].Head.Tool + d.Calls[1].Head.Arguments + strings.Join(d.Final.Lines, "")
	for _, bad := range []string{"\x1b", "\u202e", "##[", "\a"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is left in %q", bad, text)
		}
	}
}

func TestApart_LongTexts(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	for _, tt := range []struct{ base, head, want, wantHead string }{
		{"a", "b", "a", "b"},
		{long + "a", long + "b", "…890123456789a", "…890123456789b"},
		{long + "a", long, "…890123456789a", "…890123456789"},
		{"a" + long, "b" + long, "a" + long[:28] + "…", "b" + long[:28] + "…"},
		{"", long, "", long[:29] + "…"},
	} {
		got, gotHead := TruncateAroundDifference(tt.base, tt.head, 30)
		if got != tt.want || gotHead != tt.wantHead {
			t.Errorf("Apart(%q, %q) = %q, %q, want %q, %q", tt.base, tt.head, got, gotHead, tt.want, tt.wantHead)
		}
		if n := max(utf8.RuneCountInString(got), utf8.RuneCountInString(gotHead)); n > 30 {
			t.Errorf("Apart(%q, %q) has %d characters, want at most 30", tt.base, tt.head, n)
		}
	}
}

// What is told is bounded, what is counted is not.
func TestCompare_Bounds(t *testing.T) {
	base, head := usual(), usual()
	base.final, head.final = "", strings.Repeat("line\n", 100)
	base.calls, head.calls = nil, nil
	for i := range 300 {
		head.calls = append(head.calls, fmt.Sprintf(`write_file {"path":"%d"}`, i))
	}
	d := Compare(base.run(), head.run())
	if len(d.Calls) != maxCalls || d.More != 100 || d.Counts[Inserted] != 300 {
		t.Errorf("%d calls and %d more, %d inserted, want %d, 100 and 300", len(d.Calls), d.More, d.Counts[Inserted], maxCalls)
	}
	if len(d.Files.Added) != maxFiles || d.Files.More != 200 || d.Files.Counts.Added != 300 || len(d.Final.Lines) != maxLines || d.Final.More == 0 {
		t.Errorf("%d files and %d more, %d lines and %d more, want bounds", len(d.Files.Added), d.Files.More, len(d.Final.Lines), d.Final.More)
	}
}

// calls returns a run of n calls, the i-th with such an argument.
func calls(n int, argument func(int) string) *Run {
	r := &Run{}
	for i := range n {
		id := fmt.Sprint(i)
		r.detected(1, &schema.ToolCallDetected{ToolCallID: &id, Tool: new("execute_command"), ArgumentsPreview: schema.Some(`{"command":"` + argument(i) + `"}`)})
	}
	return r
}

// Any two long runs are compared, however much they differ.
func BenchmarkCompare_100000Calls(b *testing.B) {
	const n = 100_000
	plain := calls(n, func(i int) string { return fmt.Sprint("run ", i) })
	for name, other := range map[string]*Run{
		"equal":     plain,
		"different": calls(n, func(i int) string { return fmt.Sprint("go ", i) }),
		"few kinds": calls(n, func(i int) string { return fmt.Sprint("run ", i*i%7) }),
		"islands":   calls(n, func(i int) string { return fmt.Sprint("run ", i+n*min(i%50, 1)) }),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Compare(plain, other)
			}
		})
	}
}

// Of long lists in which much changed places, all that moved counts.
func TestCompare_ManyMoved(t *testing.T) {
	rotated := func(n, by int) func(int) string {
		return func(i int) string { return fmt.Sprint((i + by) % n) }
	}
	for name, tt := range map[string]struct {
		n, moved   int
		base, head func(int) string
	}{
		"rotated by half": {1200, 600, rotated(1200, 0), rotated(1200, 600)},
		"rotated by more": {2502, 834, rotated(2502, 0), rotated(2502, 834)},
		"reversed":        {1600, 1599, rotated(1600, 0), func(i int) string { return fmt.Sprint(1599 - i) }},
		"two halves":      {1502, 751, func(i int) string { return fmt.Sprint(i / 751) }, func(i int) string { return fmt.Sprint(1 - i/751) }},
	} {
		got := Compare(calls(tt.n, tt.base), calls(tt.n, tt.head)).Counts
		if moved := got[Moved]; moved != tt.moved || got[Inserted]+got[Dropped]+got[Arguments] != 0 {
			t.Errorf("%s: Compare counts %v, want %d moved", name, got, tt.moved)
		}
	}
}

// Readers differ in what they make of a member that stands twice and of what stands
// behind a value.
func TestCompare_ArgumentsThatAreNoPlainJSON(t *testing.T) {
	for _, texts := range [][2]string{{`{"a":1,"a":2}`, `{"a":3,"a":2}`}, {`{"a":"b"}`, `{"a":"b"} {"c":1}`}} {
		base, head := usual(), usual()
		base.calls, head.calls = []string{"x " + texts[0]}, []string{"x " + texts[1]}
		if got := Compare(base.run(), head.run()).Changed; len(got) != 1 || got[0] != NameTools {
			t.Errorf("Compare of the arguments %q changed %q, want tools", texts, got)
		}
	}
}

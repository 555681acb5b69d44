package diff

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/openagent-ci/openagent/schema"
)

// Two texts that differ do not look the same, and where the difference is seen they
// are not quoted.
func TestApart(t *testing.T) {
	long := strings.Repeat("long ", 100)
	for _, tt := range []struct{ base, head, want, wantHead string }{
		{"a", "b", "a", "b"},
		{"", "a", "", "a"},
		{"a", "a ", `"a"`, `"a "`},
		{"a b", "a\tb", `"a b"`, `"a\tb"`},
		{"a b", "a\u00a0b", `"a b"`, `"a\u00a0b"`},
		{"a b", "a  b", `"a b"`, `"a  b"`},
		{"a b", "ab", "a b", "ab"},
		{"a", "a\u200b", `"a"`, `"a\u200b"`},
		{"a", "a\x1b[31m", `"a"`, `"a\x1b[31m"`},
		{"caf\u00e9", "cafe\u0301", `"caf\u00e9"`, `"cafe\u0301"`},
		{"\u0439", "\u0438\u0306", `"\u0439"`, `"\u0438\u0306"`},
		{"cafe", "caf\u00e9", "cafe", "caf\u00e9"},
		{"\u6f22", "\u5b57", "\u6f22", "\u5b57"},
		{"\"a\u00a0b\"", "\"a b\"", `"a\u00a0b"`, `"a b"`},
		{"\u200b" + long + "a", long + "b", `"\u200blong long long long lo…`, `"long long long long long lon…`},
		{long + "a", long + "a ", "… long long a\"", "… long long a \""},
		{"a\xff", "a\xfe", `"a\xff"`, `"a\xfe"`},
	} {
		was, is := TruncateAroundDifference(tt.base, tt.head, 30)
		if was != tt.want || is != tt.wantHead {
			t.Errorf("Apart(%+q, %+q) = %+q, %+q, want %+q, %+q", tt.base, tt.head, was, is, tt.want, tt.wantHead)
		}
		if again, head := TruncateAroundDifference(was, is, 30); again != was || head != is {
			t.Errorf("Apart of %+q and %+q = %+q, %+q, want them as they are", was, is, again, head)
		}
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"read_file": "read_file", "caf\u00e9": "caf\u00e9", "a b": "a b", "": "",
		"a ": `"a "`, "a\u200b": `"a\u200b"`, "a\tb": `"a\tb"`,
	} {
		if got := Named(name, 30); got != want {
			t.Errorf("Named(%+q) = %q, want %q", name, got, want)
		}
	}
}

// What a run says of itself is compared as it is, and what differs is seen.
func TestCompare_AsItIs(t *testing.T) {
	for _, tt := range []struct {
		name       string
		base, head func(*Run)
		want       string
	}{
		{"model", func(r *Run) { r.model = "m" }, func(r *Run) { r.model = "m " }, NameModel},
		{"end of a long model", func(r *Run) { r.model = strings.Repeat("m", 3000) + "1" }, func(r *Run) { r.model = strings.Repeat("m", 3000) + "2" }, NameModel},
		{"prompt", func(r *Run) { r.prompt = "a1" }, func(r *Run) { r.prompt = "b2" }, NamePrompt},
		{"version", func(r *Run) { r.version = "1" }, func(r *Run) { r.version = "1 " }, NameAgent},
		{"agent and version", func(r *Run) { r.agent, r.version = "a b", "c" }, func(r *Run) { r.agent, r.version = "a", "b c" }, NameAgent},
		{"blank in the error", func(r *Run) { r.end = ended("e", "x") }, func(r *Run) { r.end = ended("e", "x ") }, NameReason},
		{"escape in the error", func(r *Run) { r.end = ended("e", "x") }, func(r *Run) { r.end = ended("e", "x\x1b[31m") }, NameReason},
		{"exit reason and error", func(r *Run) { r.end = ended("blocked: a", "x") }, func(r *Run) { r.end = ended("blocked", "a: x") }, NameReason},
		{"reason", func(r *Run) { r.Reason = "a" }, func(r *Run) { r.Reason = "a\u200b" }, NameReason},
		{"schema", func(r *Run) { r.schema = "v1" }, func(r *Run) { r.schema = "v1\u00a0" }, NameSchema},
	} {
		base, head := usual().run(), usual().run()
		tt.base(base)
		tt.head(head)
		d := Compare(base, head)
		if !slices.Contains(d.Changed, tt.want) {
			t.Errorf("%s: Compare changed %q, want %s", tt.name, d.Changed, tt.want)
		}
		facts := func(s Side) string {
			return strings.Join([]string{s.Agent, s.Model, s.Prompt, s.Reason, s.Ended, s.Schema}, "\n")
		}
		was, is := facts(d.Base), facts(d.Head)
		if was == is || strings.ContainsFunc(was+is, func(r rune) bool { return unicode.Is(unicode.Cf, r) || r == 0xa0 }) {
			t.Errorf("%s: the difference is not seen in\n%s\nand\n%s", tt.name, was, is)
		}
	}
}

func ended(reason, text string) *schema.RunFinished {
	return &schema.RunFinished{ExitReason: reason, Error: &text}
}

// Each of the numbers that a run has of its tokens counts.
func TestCompare_TokensOfAllKinds(t *testing.T) {
	for name, set := range map[string]func(*schema.Usage){
		"cached_input_tokens": func(u *schema.Usage) { u.CachedInputTokens = new(int64(5)) },
		"reasoning_tokens":    func(u *schema.Usage) { u.ReasoningTokens = schema.Some(int64(5)) },
	} {
		head := usual()
		set(&head.usage)
		d := Compare(usual().run(), head.run())
		if !slices.Equal(d.Changed, []string{NameUsage}) || !slices.ContainsFunc(d.Figures, func(f Figure) bool { return f.Name == name && f.Changed() }) {
			t.Errorf("with other %s changed %q and %v, want usage", name, d.Changed, d.Figures)
		}
	}
}

// A growth is said with as many digits as tell it from what is allowed.
func TestFailOn_GrowthThatIsLittleMore(t *testing.T) {
	for _, tt := range []struct {
		head, percent float64
		want          string
	}{
		{120.1, 20, "grew by 20.1 %, allowed are 20 %"},
		{120.004, 20, "grew by 20.004 %, allowed are 20 %"},
		{150, 20, "grew by 50 %, allowed are 20 %"},
		{102.56, 2.55, "grew by 2.6 %, allowed are 2.55 %"},
		{120, 20, ""},
	} {
		percent := 20.0
		f := Figure{Base: new(100.0), Head: &tt.head, Percent: &percent}
		if got := f.grown(tt.percent); got != tt.want {
			t.Errorf("growth from 100 to %v with %v allowed: %q, want %q", tt.head, tt.percent, got, tt.want)
		}
	}
}

package policy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatch_Globs(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"read_file", []string{"read_file"}, []string{"read_files", "xread_file", "", "READ_FILE"}},
		{"*", []string{"", "a", "a.b"}, []string{"a/b", "/"}},
		{"**", []string{"", "a", "a/b", "a\nb"}, nil},
		{"a?c", []string{"abc", "aéc"}, []string{"ac", "a/c", "abbc"}},
		{"docs/*.md", []string{"docs/a.md", "docs/.md"}, []string{"docs/a/b.md", "docs/amd", "x/docs/a.md"}},
		{"docs/**/x", []string{"docs/x", "docs/a/x", "docs/a/b/x", "docs//x"}, []string{"docsx", "docs/ax", "docs/a/x/y", "x"}},
		{"**/x", []string{"x", "a/x", "a/b/x"}, []string{"ax", "a/bx", "x/y"}},
		{"**/**/x", []string{"x", "a/x"}, []string{"ax"}},
		{"a**/x", []string{"a/x", "ab/c/x"}, []string{"ax", "x"}},
		{"***", []string{"a", "a/b"}, nil},
		{"a.[b]+(c)", []string{"a.[b]+(c)"}, []string{"axb", "a.b"}},
		{"", []string{""}, []string{"a"}},
	} {
		for _, name := range tt.yes {
			if !Match(tt.pattern, name) {
				t.Errorf("Match(%q, %q) = false, want true", tt.pattern, name)
			}
		}
		for _, name := range tt.no {
			if Match(tt.pattern, name) {
				t.Errorf("Match(%q, %q) = true, want false", tt.pattern, name)
			}
		}
	}
}

func TestConditions_Operators(t *testing.T) {
	for _, tt := range []struct {
		op, value, text string
		want, ofPath    bool
	}{
		{"starts_with", "git ", "git push", true, true}, {"starts_with", "git ", "a git push", false, false}, {"starts_with", "", "x", true, true},
		{"contains", "push", "git push", true, true}, {"contains", "push", "git PUSH", false, false},
		{"equals", "git push", "git push", true, true}, {"equals", "git push", "git push ", false, false},
		{"glob", "git *", "git push", true, true}, {"glob", "git *", "git add a/b", true, false}, {"glob", "git **", "git add a/b", true, true},
		{"glob", "a?b", "a/b", true, false}, {"glob", "curl *", "curl\nx", false, false}, {"glob", "curl *", "curl a/b\nx", true, false},
		{"matches", "^git (push|pull)$", "git pull", true, true}, {"matches", "pu", "git pull", true, true}, {"matches", "^pu", "git pull", false, false},
	} {
		c, err := newCondition("arg", tt.op, tt.value)
		if err != nil {
			t.Fatal(err)
		}
		req := Request{Args: map[string]any{"arg": tt.text, "other": "x"}}
		if got := c.holds(req); got != tt.want {
			t.Errorf("%s %q of %q = %v, want %v", tt.op, tt.value, tt.text, got, tt.want)
		}
		req.PathArgs = []string{"arg"}
		if got := c.holds(req); got != tt.ofPath {
			t.Errorf("%s %q of the path %q = %v, want %v", tt.op, tt.value, tt.text, got, tt.ofPath)
		}
	}
}

// A value that no cleaned path can have is no condition at all.
func TestConditions_ValuesThatNoPathHas(t *testing.T) {
	for op, values := range map[string]struct{ no, yes []string }{
		"equals":      {[]string{"./a", "a/", "a//b", "a/../b", `a\b`, ""}, []string{"a", "a/b", ".", "/a", "../a"}},
		"starts_with": {[]string{"./", "./a", "a//", "a/./", `a\`}, []string{"", "a", "a/", ".", "/", "../"}},
		"glob":        {[]string{"./**", "a/**/", "a//*"}, []string{"**", "a/**", "**/a", "?"}},
		"contains":    {nil, []string{"./", "/"}},
		"matches":     {nil, []string{"^./"}},
	} {
		for _, value := range append(values.no, values.yes...) {
			c, err := newCondition("arg", op, value)
			if want := slices.Contains(values.no, value); err != nil || c.unclean != want {
				t.Errorf("%s %q: unclean is %v, %v, want %v", op, value, c.unclean, err, want)
			}
		}
	}
}

// Only the arguments that are paths are cleaned, and only for the judgment.
func TestDecide_OtherArgumentsStayAsTheyAre(t *testing.T) {
	p, err := Load("p.yaml", []byte(`version: 1
default: allow
rules:
  - {tool: t, decision: deny, when: [{arg: text, op: equals, value: 'a/../b\c'}]}
  - {tool: t, decision: deny, when: [{arg: number, op: equals, value: .}]}
  - {tool: t, decision: deny, when: [{arg: path, op: equals, value: b}], reason: b}
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args map[string]any
		want Verdict
	}{
		"a text":               {map[string]any{"text": `a/../b\c`}, Deny},
		"a text, cleaned":      {map[string]any{"text": "b/c"}, Allow},
		"a number":             {map[string]any{"number": 1}, Allow},
		"a path":               {map[string]any{"path": "a/../b"}, Deny},
		"a path beside a text": {map[string]any{"path": `./a\..\b`, "text": "b"}, Deny},
		"a path of no text":    {map[string]any{"path": []any{"b"}}, Allow},
	} {
		before := map[string]any{}
		for k, v := range tt.args {
			before[k] = v
		}
		if got := p.Decide(Request{Tool: "t", Args: tt.args, PathArgs: []string{"path"}}); got.Verdict != tt.want {
			t.Errorf("%s: Decide = %+v, want %s", name, got, tt.want)
		}
		if diff := cmp.Diff(before, tt.args); diff != "" {
			t.Errorf("%s: Decide changed the arguments (-want +got):\n%s", name, diff)
		}
	}
	if got := p.Decide(Request{Tool: "t", Args: map[string]any{"path": "a/../b"}}); got.Verdict != Allow {
		t.Errorf("Decide without path arguments = %+v, want the text judged as it is", got)
	}
}

// The zero value denies nothing, and says so as the default does.
func TestPolicy_ZeroValue(t *testing.T) {
	var p Policy
	if got := p.Decide(Request{Tool: "write_file", Args: map[string]any{"path": ".git/config"}}); got != (Decision{Allow, "", SourceDefault, false}) {
		t.Errorf("Decide = %+v, want allow by default", got)
	}
	if p.Source() != SourceDefault || !p.Offers("anything") {
		t.Errorf("Source = %s, Offers = %v, want default, true", p.Source(), p.Offers("anything"))
	}
	denied := p.Narrow(nil, []string{"a"})
	if denied.Offers("a") || !denied.Offers("b") || !p.Offers("a") {
		t.Error("Narrow: want a taken away from the new policy alone")
	}
	// Two policies narrowed from one do not share what was taken away.
	one, two := denied.Narrow([]string{"x"}, []string{"b"}), denied.Narrow([]string{"y"}, []string{"c"})
	if one.Offers("b") || !one.Offers("x") || one.Offers("y") || two.Offers("c") || !two.Offers("y") || two.Offers("x") {
		t.Error("Narrow twice from one policy: the two are mixed up")
	}
}

func TestDecide_DenyByDefault(t *testing.T) {
	p, err := Load("p.yaml", []byte("version: 1\ndefault: deny\nrules:\n  - {tool: read_*, decision: allow, reason: reading is fine}\n  - {tool: list, decision: deny, reason: no lists}\n  - {tool: '*', decision: allow, when: [{arg: a, op: equals, value: ''}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]Decision{
		"read_file":  {Allow, "reading is fine", "p.yaml", false},
		"list":       {Deny, "no lists", "p.yaml", false},
		"write_file": {Deny, "policy denied tool 'write_file'", "p.yaml", false},
	} {
		if got := p.Decide(Request{Tool: tool}); got != want {
			t.Errorf("Decide(%s) = %+v, want %+v", tool, got, want)
		}
	}
	if got := p.Decide(Request{Tool: "write_file", Args: map[string]any{"a": ""}}); got.Verdict != Allow {
		t.Errorf("Decide with an empty argument that equals = %+v, want allow", got)
	}
}

package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = `version: 1
default: allow
rules:
  - tool: execute_command
    decision: deny
    when: [{arg: command, op: contains, value: "git push"}]
    reason: pushing is the workflow's job
  - tool: write_*
    decision: deny
    when:
      - {arg: path, op: glob, value: "docs/**"}
      - {arg: content, op: matches, value: "(?i)secret"}
  - tool: read_file
    decision: deny
    when: [{arg: path, op: starts_with, value: private/}]
`

func TestDecide_FirstMatchAndAllConditions(t *testing.T) {
	p, err := Load("p.yaml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		req  Request
		want Decision
	}{
		{"contains", Request{Tool: "execute_command", Args: map[string]any{"command": "cd x && git push"}}, Decision{Deny, "pushing is the workflow's job", "p.yaml", false}},
		{"contains not", Request{Tool: "execute_command", Args: map[string]any{"command": "git status"}}, Decision{Allow, "", "p.yaml", false}},
		{"argument absent", Request{Tool: "execute_command", Args: map[string]any{}}, Decision{Allow, "", "p.yaml", false}},
		{"argument no string", Request{Tool: "execute_command", Args: map[string]any{"command": []any{"git push"}}}, Decision{Allow, "", "p.yaml", false}},
		{"both hold", Request{Tool: "write_file", Args: map[string]any{"path": "docs/a/b.md", "content": "a Secret"}}, Decision{Deny, "policy denied tool 'write_file'", "p.yaml", false}},
		{"one holds", Request{Tool: "write_file", Args: map[string]any{"path": "docs/a/b.md", "content": "open"}}, Decision{Allow, "", "p.yaml", false}},
		{"path is cleaned", Request{Tool: "read_file", Args: map[string]any{"path": "x/../private/k"}, PathArgs: []string{"path"}}, Decision{Deny, "policy denied tool 'read_file'", "p.yaml", false}},
		{"backslashes are slashes", Request{Tool: "read_file", Args: map[string]any{"path": `x\..\private\k`}, PathArgs: []string{"path"}}, Decision{Deny, "policy denied tool 'read_file'", "p.yaml", false}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, p.Decide(c.req)); diff != "" {
			t.Errorf("%s: Decide (-want +got):\n%s", c.name, diff)
		}
	}
}

// A rule that allows gives the reason of the file and no other.
func TestDecide_AllowedWithoutReason(t *testing.T) {
	const text = "version: 1\ndefault: deny\nrules:\n  - {tool: read_file, decision: allow}\n  - {tool: list_files, decision: allow, reason: harmless}\n"
	p, err := Load("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]string{"read_file": "", "list_files": "harmless"} {
		if got := p.Decide(Request{Tool: tool}); got.Verdict != Allow || got.Reason != want {
			t.Errorf("Decide(%s) = %+v, want it allowed with the reason %q", tool, got, want)
		}
	}
}

func TestDecide_BuiltinGuardsWorkflowsAndGit(t *testing.T) {
	for path, want := range map[string]Verdict{
		"a.txt": Allow, ".gitignore": Allow, ".github/CODEOWNERS": Allow, "x/.git/y": Allow,
		".git/config": Deny, ".GIT/config": Deny, "a/../.git/hooks/pre-commit": Deny, ".git": Deny,
		".github/workflows/ci.yml": Deny, "./.github//workflows/x.yml": Deny, `.github\workflows\x.yml`: Deny,
	} {
		for _, tool := range []string{"write_file", "edit_file", "create_directory", "delete_file"} {
			got := Builtin().Decide(Request{Tool: tool, Args: map[string]any{"path": path}, PathArgs: []string{"path"}})
			if got.Verdict != want || got.Source != SourceDefault {
				t.Errorf("Decide(%s %q) = %+v, want %s by default", tool, path, got, want)
			}
		}
	}
	if got := Builtin().Decide(Request{Tool: "read_file", Args: map[string]any{"path": ".git/config"}}); got.Verdict != Allow {
		t.Errorf("Decide(read_file .git/config) = %+v, want allow", got)
	}
}

func TestCheckTools_NamesAndGlobs(t *testing.T) {
	arguments := map[string]Arguments{
		"read_file": {Texts: []string{"path", "lines"}, Paths: []string{"path"}}, "execute_command": {Texts: []string{"command"}},
	}
	for rules, want := range map[string]struct {
		idle []string
		err  string
	}{
		"": {},
		"- {tool: execute_command, decision: deny}\n- {tool: '*', decision: deny}\n- {tool: read_fil?, decision: allow}": {},
		"- {tool: read_file, decision: deny}\n- {tool: execute_comand, decision: deny}": {
			err: `policy p.yaml:5: no tool is named "execute_comand"; the tools are execute_command, read_file; did you mean "execute_command"?`,
		},
		"- {tool: Read_File, decision: allow}": {err: `policy p.yaml:4: no tool is named "Read_File"; the tools are execute_command, read_file; did you mean "read_file"?`},
		"- {tool: mcp__docs__read_fil, decision: deny, when: [{arg: q, op: equals, value: a}]}\n- {tool: mcp__*, decision: deny}": {},
		"- {tool: read_fiel*, decision: deny}": {idle: []string{`policy p.yaml:4: no tool matches "read_fiel*"; did you mean "read_file"?`}},
		"- {tool: web_*, decision: deny}\n- tool: x?\n  decision: deny": {
			idle: []string{`policy p.yaml:4: no tool matches "web_*"`, `policy p.yaml:5: no tool matches "x?"`},
		},
		"- tool: execute_command\n  decision: deny\n  when:\n    - {arg: command, op: equals, value: a}\n    - {arg: comand, op: equals, value: a}": {
			idle: []string{`policy p.yaml:8: execute_command takes no text argument "comand"`},
		},
		"- {tool: '*', decision: deny, when: [{arg: path, op: equals, value: a}, {arg: command, op: equals, value: a}]}": {},
		"- {tool: 'read*', decision: deny, when: [{arg: command, op: equals, value: a}]}": {
			idle: []string{`policy p.yaml:4: read* takes no text argument "command"`},
		},
		"- {tool: read_file, decision: deny, when: [{arg: path, op: equals, value: a/}, {arg: path, op: starts_with, value: a/}]}": {
			idle: []string{"policy p.yaml:4: the value of path cannot be that of a path, which is cleaned before it is judged"},
		},
		"- {tool: web_*, decision: deny}\n- {tool: x, decision: deny}": {err: `policy p.yaml:5: no tool is named "x"; the tools are execute_command, read_file`},
	} {
		p, err := Load("p.yaml", []byte("version: 1\ndefault: allow\nrules:\n"+rules))
		if err != nil {
			t.Fatal(err)
		}
		idle, err := p.CheckTools(arguments)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want.idle, idle); diff != "" || got != want.err {
			t.Errorf("CheckTools of %q: %v, want %q (-want +got):\n%s", rules, err, want.err, diff)
		}
	}
}

func TestNarrow_FlagsComeFirstAndOnlyTakeAway(t *testing.T) {
	p := (&Policy{source: "f", fallback: Deny}).Narrow([]string{"read_*", "list_files"}, []string{"*_files"})
	for tool, want := range map[string]Decision{
		"read_file":  {Deny, "policy denied tool 'read_file'", "f", false},
		"list_files": {Deny, "tool 'list_files' is excluded by --deny-tools", SourceFlag, false},
		"write_file": {Deny, "tool 'write_file' is not among --allow-tools", SourceFlag, false},
	} {
		if got := p.Decide(Request{Tool: tool}); got != want {
			t.Errorf("Decide(%s) = %+v, want %+v", tool, got, want)
		}
	}
	if p.Offers("write_file") || p.Offers("list_files") || !p.Offers("read_file") {
		t.Error("Offers: want read_file alone")
	}
}

func TestLoad_RefusesUnknownMembers(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"misspelt key":      {"version: 1\ndefalt: allow\n", `policy p.yaml:2: unknown key "defalt"; accepted: version, default, rules, sandbox; did you mean "default"?`},
		"misspelt in rule":  {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decison: deny\n", `policy p.yaml:5: unknown key "decison"; accepted: tool, decision, when, reason; did you mean "decision"?`},
		"misspelt in when":  {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    when:\n      - arg: x\n        valeu: y\n", `policy p.yaml:8: unknown key "valeu"; accepted: arg, op, value; did you mean "value"?`},
		"unknown key":       {"version: 1\ndefault: allow\nrule: []\n", `policy p.yaml:3: unknown key "rule"`},
		"rules no list":     {"version: 1\ndefault: allow\nrules: 5\n", `policy p.yaml:3: want a list of rules, each with tool, decision, when, reason, got "5"`},
		"when no list":      {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    when: {arg: x}\n", "policy p.yaml:6: want a list of conditions, each with arg, op, value, got a mapping"},
		"rule no mapping":   {"version: 1\ndefault: allow\nrules: [deny]\n", "policy p.yaml:3: want a mapping"},
		"default no text":   {"version: 1\ndefault: [allow]\n", "policy p.yaml:2: want allow or deny, got a list"},
		"version no number": {"version: one\ndefault: allow\n", `policy p.yaml:1: version: want 1, got "one"`},
		"torn":              {"version: 1\nrules: [", "policy p.yaml:3: neither YAML nor JSON: did not find"},
		"unknown rule key":  {"version: 1\ndefault: allow\nrules:\n  - {tool: a, decision: deny, wen: []}\n", "p.yaml:4:"},
		"bad operator":      {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    when:\n      - {arg: x, op: like, value: y}\n", `p.yaml:7: op: want starts_with or contains or equals or glob or matches, got "like"`},
		"bad expression":    {"version: 1\ndefault: allow\nrules:\n  - {tool: a, decision: deny, when: [{arg: x, op: matches, value: '('}]}\n", "no RE2"},
		"no default":        {"version: 1\n", "policy p.yaml:1: default is missing, want allow or deny"},
		"bad default":       {"version: 1\n\ndefault: ask\n", `policy p.yaml:3: default: want allow or deny, got "ask"`},
		"empty default":     {"version: 1\ndefault:\n", "policy p.yaml:2: default: want allow or deny, got nothing"},
		"wrong version":     {"default: allow\nversion: 2\n", `policy p.yaml:2: version: want 1, got "2"`},
		"no version":        {"default: allow\n", "policy p.yaml:1: version is missing, want 1"},
		"null version":      {"default: allow\nversion: ~\n", "policy p.yaml:2: version: want 1, got nothing"},
		"line of decision":  {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    reason: r\n    decision: dney\n", `p.yaml:6: decision: want allow or deny, got "dney"`},
		"line of tool":      {"version: 1\ndefault: allow\nrules:\n  - decision: deny\n    tool: [a]\n", `p.yaml:5: want one value`},
		"line of op":        {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    when:\n      - arg: x\n        value: y\n        op: like\n", `p.yaml:9: got "like"`},
		"line of value":     {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    when:\n      - arg: x\n        op: matches\n        value: (\n", `p.yaml:9: value "(" is no RE2`},
		"line of no value":  {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    when:\n      - arg: x\n        op: equals\n        value:\n", `p.yaml:9: value: want one value, got nothing`},
		"line of reason":    {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    reason: {}\n", `p.yaml:6: want one value`},
		"alias":             {"version: 1\ndefault: &a allow\nrules:\n  - {tool: x, decision: *a}\n", `p.yaml:4: got an alias`},
		"key twice in rule": {"version: 1\ndefault: allow\nrules:\n  - tool: a\n    decision: deny\n    tool: b\n", `p.yaml:6: key "tool" appears twice`},
		"key twice":         {"version: 1\ndefault: allow\ndefault: deny\n", "policy p.yaml:3: "},
		"two documents":     {"version: 1\ndefault: deny\n---\nversion: 1\ndefault: allow\n", "policy p.yaml:3: want one document, got 2"},
		"rule without keys": {"version: 1\ndefault: allow\nrules: [{}]\n", "policy p.yaml:3: rule has no tool"},
		"text as a number":  {"version: 1\ndefault: allow\nrules:\n  - {tool: a, decision: deny, when: [{arg: x, op: equals, value: [1]}]}\n", "policy p.yaml:4: "},
		"no tool":           {"version: 1\ndefault: allow\nrules:\n  - {decision: deny}\n", "p.yaml:4: rule has no tool"},
		"no decision":       {"version: 1\ndefault: allow\nrules:\n  - {tool: x}\n", "decision is missing"},
		"condition, no arg": {"version: 1\ndefault: allow\nrules:\n  - {tool: x, decision: deny, when: [{op: equals, value: a}]}\n", "no arg"},
		"no value":          {"version: 1\ndefault: allow\nrules:\n  - {tool: x, decision: deny, when: [{arg: a, op: equals}]}\n", `"a" has no value`},
		"binary value":      {"version: 1\ndefault: allow\nrules:\n  - {tool: x, decision: deny, when: [{arg: a, op: equals, value: !!binary aGk=}]}\n", "p.yaml:4: want one value"},
		"not yaml":          {"{", "p.yaml"},
		"empty":             {"", "p.yaml"},
	}
	for name, c := range cases {
		_, err := Load("p.yaml", []byte(c.text))
		line, text, _ := strings.Cut(c.want, ": ")
		if err == nil || !strings.Contains(err.Error(), line) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: Load = %v, want an error with %q", name, err, c.want)
		}
	}
}

// A value is compared as it is written, a number too; a list that has nothing is empty.
func TestLoad_PlainValuesAndEmptyLists(t *testing.T) {
	for text, want := range map[string]Verdict{
		"rules: [{tool: x, decision: deny, when: [{arg: a, op: equals, value: 8080}]}]": Deny,
		"rules: [{tool: x, decision: deny, when: [{arg: a, op: equals, value: true}]}]": Allow,
		"rules:\nsandbox:": Allow,
	} {
		p, err := Load("p.yaml", []byte("version: 1\ndefault: allow\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(Request{Tool: "x", Args: map[string]any{"a": "8080"}}).Verdict; got != want {
			t.Errorf("Decide by %s = %s, want %s", text, got, want)
		}
	}
}

// TestLoad_HostileFilesEnd loads files of 1 MiB over which a reader sits for
// minutes when its time does not grow with their size alone.
func TestLoad_HostileFilesEnd(t *testing.T) {
	const head, size = "version: 1\ndefault: allow\n", 1 << 20
	many := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for want, text := range map[string]string{
		`3: unknown key "k0"`:                              head + many("k%d: 1\n"),
		`5: rules: rule 1: unknown key "k0"`:               head + "rules:\n  - tool: a\n" + many("    k%d: 1\n"),
		`3: rules: want a list of rules`:                   head + "rules: {" + many("\"k%d\",") + "}\n",
		`3: unknown key "x"`:                               head + "x: &x {a: 1}\n" + many("k%d: {<<: *x}\n"),
		`3: neither YAML nor JSON: exceeded max depth`:     head + "rules: " + strings.Repeat("[", size),
		`4: rules: rule 1: rule has no tool`:               head + "rules:\n" + many("  - {} # %d\n"),
		`3: key "default" appears twice`:                   "version: 1\n" + many("default: deny # %.0d\n"),
		`4: rules: rule 1: when: condition 1: value "((((`: head + "rules:\n  - {tool: a, decision: deny, when: [{arg: x, op: matches, value: \"" + strings.Repeat("(", size) + "\"}]}\n",
		`4: rules: rule 1: decision is missing, want all`:  head + "rules:\n" + many("  - tool: \"t%d*\"\n"),
	} {
		if _, err := Load("p.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "p.yaml:"+want) {
			t.Errorf("Load(%.60q...) = %.200v, want an error with %q", text, err, want)
		}
	}
}

func TestMatch_GlobsNames(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "a", true}, {"*", "a/b", false}, {"**", "a/b", true}, {"?", "a", true}, {"?", "/", false},
		{"a.c", "abc", false}, {"a*c", "abbc", true}, {"a**", "a/x/y", true}, {"read_file", "read_files", false}, {"é?", "éé", true},
	} {
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

func TestDecide_AllowedByPath(t *testing.T) {
	p, err := Load("p.yaml", []byte("version: 1\ndefault: allow\nrules:\n"+
		"  - {tool: read_file, decision: allow, when: [{arg: path, op: equals, value: .npmrc}]}\n"+
		"  - {tool: read_file, decision: allow, when: [{arg: mode, op: equals, value: x}]}\n"+
		"  - {tool: read_file, decision: deny, when: [{arg: path, op: equals, value: b}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		tool string
		args map[string]any
		want bool
	}{
		"the rule's path":       {"read_file", map[string]any{"path": "a/../.npmrc"}, true},
		"another path":          {"read_file", map[string]any{"path": "a"}, false},
		"another tool":          {"edit_file", map[string]any{"path": ".npmrc"}, false},
		"a rule without a path": {"read_file", map[string]any{"path": "a", "mode": "x"}, false},
		"a rule that denies it": {"read_file", map[string]any{"path": "b"}, false},
		"a default that allows": {"read_file", map[string]any{}, false},
	} {
		if got := p.Decide(Request{Tool: tt.tool, Args: tt.args, PathArgs: []string{"path"}}); got.ByPath != tt.want {
			t.Errorf("%s: Decide = %+v, want ByPath %v", name, got, tt.want)
		}
	}
}

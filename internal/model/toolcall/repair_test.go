package toolcall

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mended are slips of writing that every tool's calls may have, and the word
// that each is told by.
func mended() map[string]string {
	return map[string]string{
		`{"tool": "t", "arguments": {"path": "a"},}`:                                "trailing_comma",
		`{"tool": "t", "arguments": {"path": "a",}}`:                                "trailing_comma",
		`{"tool": "t" "arguments": {"path": "a"}}`:                                  "missing_comma",
		"{\"tool\": \"t\"\n \"arguments\": {\"path\": \"a\"}}":                      "missing_comma",
		`{"arguments": {"path": "a"}"tool": "t"}`:                                   "missing_comma",
		`{'tool': 't', 'arguments': {'path': 'a'}}`:                                 "other_quotes",
		"{`tool`: `t`, `arguments`: {`path`: `a`}}":                                 "other_quotes",
		`{“tool”: “t”, “arguments”: {“path”: “a”}}`:                                 "other_quotes",
		`{„tool“: ‘t’, "arguments": {"path": "a"}}`:                                 "other_quotes",
		`{"tool": "t, "arguments": {"path": "a"}}`:                                  "missing_quote",
		`{"tool": t", "arguments": {"path": "a"}}`:                                  "missing_quote",
		`{"tool: "t", "arguments": {"path": "a"}}`:                                  "missing_quote",
		`{tool": "t", "arguments": {"path": "a"}}`:                                  "missing_quote",
		`{"tool": "t", "arguments: {"path": "a"}}`:                                  "missing_quote",
		`{"tool": "t", "arguments": {"path": "a}}`:                                  "missing_quote",
		"{\"tool\": \"t\", \"arguments\": {\"path\": \"a \n }\n }\n":                "missing_quote",
		`{"tool": "t", "arguments": {"path": "a}`:                                   "missing_closer missing_quote",
		`{"arguments": {"path": "a}, "tool": "t"}`:                                  "",
		`{"tool": "t "arguments": {"path": "a"}}`:                                   "missing_comma missing_quote",
		`{tool: "t", arguments: {path: "a"}}`:                                       "bare_key",
		`{"tool": t, "arguments": {"path": "a"}}`:                                   "bare_name",
		`{"tool": "t", // the tool` + "\n" + `"arguments": {"path": "a"} /* so */}`: "comment",
		`{"tool": "t", # the tool` + "\n" + `"arguments": {"path": "a"}}`:           "comment",
		"{\"tool\": \"t\",\u00a0\"arguments\": {\"path\": \"a\"}}":                  "other_blank",
		`{"tool": "t", "arguments": {"path": "a"`:                                   "missing_closer",
		`{"tool": "t", "arguments": {"path": "a"}`:                                  "missing_closer",
		`{"tool": "t", "arguments": {"path": "a"` + "\n\nThat is it.":               "missing_closer",
		`{"tool": "t", "arguments": {"path": "a"}` + "\nThat is it.":                "missing_closer",
		`{"tool": "t", "arguments": {"path": "a"}` + "\n```\nThanks!":               "missing_closer",
		`{"tool": "t", "arguments": {"path": "a"]}`:                                 "punctuation",
		`{"tool": "t", "arguments" {"path": "a"}}`:                                  "punctuation",
	}
}

func TestTolerant_MendsEachSlip(t *testing.T) {
	var seen []string
	for text, want := range mended() {
		for _, tool := range []string{"read_file", "write_file", "lookup"} {
			r := parse("TOOL_CALL:\n" + strings.Replace(text, "t", tool, 1))
			text := strings.NewReplacer(`"t"`, `"`+tool+`"`, `'t'`, `'`+tool+`'`, "`t`", "`"+tool+"`", `“t”`, `“`+tool+`”`, `‘t’`, `‘`+tool+`’`,
				`"t,`, `"`+tool+`,`, ` t"`, ` `+tool+`"`, `"t "`, `"`+tool+` "`, ` t,`, ` `+tool+`,`).Replace(text)
			r = parse("TOOL_CALL:\n" + text)
			sound(t, "TOOL_CALL:\n"+text, r)
			if want == "" {
				if len(r.Calls) != 0 {
					t.Errorf("Parse(%q) = %q, want no call", text, brief(r))
				}
				continue
			}
			if got := brief(r); got != tool+`{"path":"a"} marker `+want {
				t.Errorf("Parse(%q) = %q, want %s and %s", text, got, tool, want)
			}
		}
		seen = append(seen, strings.Fields(want)...)
	}
	for _, word := range repairs() {
		if !slices.Contains(seen, word) && !slices.Contains([]string{RepairPython, RepairControl, RepairEscape, repairEntities}, word) {
			t.Errorf("no text is mended by %s", word)
		}
	}
}

func TestTolerant_ValuesAndStrings(t *testing.T) {
	for value, want := range map[string]string{
		`[True, False, None]`:  `[true,false,null] marker python_literal`,
		`["x", "y"`:            `["x","y"] marker missing_closer`,
		"'a\tb\nc\x01\r'":      `"a\tb\nc\u0001\r" marker other_quotes raw_control_character`,
		`"\d+\x"`:              `"\\d+\\x" marker unknown_escape`,
		`'it\'s "so"'`:         `"it's\"so\"" marker other_quotes`,
		`"it\'s"`:              `"it's" marker unknown_escape`,
		`'\u00e9\n'`:           `"\u00e9\n" marker other_quotes`,
		`'\u00zz'`:             `"\\u00zz" marker other_quotes unknown_escape`,
		"`a\\`b`":              "\"a`b\" marker other_quotes",
		`'<think>{"tool":'`:    `"<think>{\"tool\":" marker other_quotes`,
		`{'a': [1, -2.5e3,],}`: `{"a":[1,-2.5e3]} marker other_quotes trailing_comma`,
		`'a'`:                  `"a" marker other_quotes`,
	} {
		text := `TOOL_CALL: {"tool": "x", "arguments": {"v": ` + value + `}}`
		r := parse(text)
		sound(t, text, r)
		if got := brief(r); got != `x{"v":`+strings.Replace(want, " marker", "} marker", 1) && got != `x{"v":`+strings.Replace(want, " marker", "} marker trailing_comma", 1) {
			t.Errorf("Parse(%q) = %q, want the value %s", text, got, want)
		}
	}
}

// Texts that a careless repair turns into something that nobody wrote.
func TestTolerant_RefusesWhatCanBeReadInTwoWays(t *testing.T) {
	content := func(s string) string {
		return `{"tool": "write_file", "arguments": {"path": "a", "content": ` + s + `}}`
	}
	for _, text := range []string{
		content(`"say "hi" now"`), content(`"print("hello")"`), content(`"<a href="b">` + "\n" + `</a>"`), content(`"{"name": "x"}"`), content(`"a = ["x", "y"]"`),
		content(`"""Say"""`), content(`"echo "#x`), content(`"echo "#x` + "\n"), content(`"x" // y "z"` + "\n"), content(`"line "` + "\n" + `foo" bar"`),
		content(`"He said "` + "\n\n" + `then"`), content(`"a"}` + "\n" + `foo"`), content(`'it's'`), content(`"a", "b"`), content(`"say "arguments": {}"`),
		content(`"x = "\n"`), content(`"a" + "b"`), content(`"a" "b"`), content(`a.txt"`), content(`a b`), content(`"a" /* "b" */`), content(`"a" b`), content(`"cut`),
		content(`"cut` + "\n```"), `{"tool": "execute_command", "arguments": {"command": "echo "hi", "x": 1}}`, `{"tool": "execute_command", "arguments": {"command": curl https://x//y}}`,
		`{"tool": "execute_command", "arguments": {"command": "echo ${HOME}}`, `{"tool": "execute_command", "arguments": {"command": "a` + "\n" + `b}}`,
		`{"tool": "read_file", "arguments": {"path": "a}}}`, `{"tool": "read_file", "arguments": {"path": "}}`, `{"tool": "read_file", "arguments": {"path": "a\b}}`,
		`{"tool": "read_file", "arguments": {"path": "a"} {"path": "b"}}`, `{"tool": "read_file", "arguments": {"path": "a"})`, `{"tool": "read_file", "arguments": {"path" "a"}}`,
		`{"tool": "read_file", "arguments": {"path": , "n": 1}}`, `{"tool": "read_file", "arguments": {"path": "a"}, "then": }`,
		`{"tool": "read_file", "arguments": {"path"` + "\n" + `"a"}}`, `{"tool": "read_file", "arguments": {"path"` + "\n" + `"a"]}`,
		`{"tool": "read_file", "arguments": {"path": "a", "then": [` + callB + `}`, `{"tool": "read_file" "name": "x" "arguments": {"path" 1}}`,
	} {
		text = "TOOL_CALL:\n" + text
		r := parse(text)
		sound(t, text, r)
		if len(r.Calls) != 0 && !strings.Contains(text, "then") || len(r.Refused)+len(r.Calls) != 1 {
			t.Errorf("Parse(%q) = %q, want one refusal", text, brief(r))
		}
	}
}

// The library sees punctuation alone, and what it makes is taken only when all
// that was written is in it and nothing else.
func TestPunctuation_Bounds(t *testing.T) {
	const maxRepairBytes, maxRepairDepth, maxRepairTries = 64 << 10, 64, 4
	broken := `{"tool": "read_file", "arguments": {"path": "%s"]}`
	long := fmt.Sprintf(broken, strings.Repeat("x", maxRepairBytes))
	if r := parse("TOOL_CALL:\n" + long); len(r.Calls) != 0 {
		t.Errorf("Parse of more than 64 KiB calls %.80q, want a refusal", brief(r))
	}
	text := strings.Repeat("TOOL_CALL:\n"+fmt.Sprintf(broken, "/etc // 'x'")+"\n", maxRepairTries+1)
	if r := parse(text); len(r.Calls) != maxRepairTries || len(r.Refused) != 1 {
		t.Errorf("Parse of five such calls = %q, want four and a refusal", brief(r))
	} else if got := string(r.Calls[0].Arguments); got != `{"path":"/etc // 'x'"}` && got != `{"path": "/etc // 'x'"}` {
		t.Errorf("arguments are %s, want the string as it was", got)
	}
	deep := strings.Repeat("[", maxRepairDepth) + strings.Repeat("]", maxRepairDepth)
	if r := parse(`TOOL_CALL: {"tool": "read_file", "arguments": {"path": ` + deep + `]}`); len(r.Calls) != 0 {
		t.Errorf("Parse of more than 64 levels = %.80q, want a refusal", brief(r))
	}
}

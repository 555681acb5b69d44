package toolcall

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

const (
	callA = `{"tool": "read_file", "arguments": {"path": "a"}}`
	callB = `{"tool": "read_file", "arguments": {"path": "b"}}`
	lost  = `{"tool": "lookup", "arguments": {"path": "a"}}` // names no known tool
)

// brief returns calls as tool, arguments, source and repairs, and refusals as
// status and reason, in short.
func brief(r Result) string {
	var words []string
	for _, c := range r.Calls {
		word := c.Tool + strings.ReplaceAll(string(c.Arguments), " ", "")
		words = append(words, strings.Join(append([]string{word, c.Source}, c.Repairs...), " "))
	}
	for _, f := range r.Refused {
		words = append(words, fmt.Sprintf("%s %s", f.Status, f.Reason))
	}
	return strings.Join(words, "; ")
}

func check(t *testing.T, cases map[string]string, finish string) {
	t.Helper()
	for text, want := range cases {
		r := Parse(text, Options{Tools: offered(), FinishReason: finish})
		sound(t, text, r)
		if got := brief(r); got != want {
			t.Errorf("Parse(%q, %q) = %q, want %q", text, finish, got, want)
		}
	}
}

func TestParse_Markers(t *testing.T) {
	const want = `lookup{"path":"a"} marker`
	cases := map[string]string{}
	for _, text := range []string{
		"TOOL_CALL:\n%s", "TOOL_CALL: %s", "TOOL_CALL:%s", "tool_call:\n%s", "Tool_Call :\n%s", "**TOOL_CALL:**\n%s", "**TOOL_CALL**:\n%s", "__TOOL_CALL:__ %s",
		"> TOOL_CALL:\n> %s", "`TOOL_CALL:`\n%s", "- TOOL_CALL: %s", "## TOOL_CALL:\n%s", "[TOOL_CALL: %s]", "[TOOL_CALL]: %s", "Now TOOL_CALL:\n%s",
		"TOOL_CALL:\r\n%s\r\n", "\ufeffTOOL_CALL:\n%s", "\u00a0TOOL_CALL:\u00a0%s", "TOOL_CALL:\n\n\n%s", "TOOL_CALL:\n```json\n%s\n```", "TOOL_CALL:\n```\n%s", "TOOL_CALL: lookup\n%s",
		"TOOL_CALL:\nI look it up.\n%s", "TOOL_CALL: I look it up.\n```json\n%s\n```", "TOOL_CALL:\n[see below]\n%s", "TOOL_CALL: TOOL_CALL:\n%s", "TOOL_CALL:\n[%s]",
	} {
		cases[fmt.Sprintf(text, lost)] = want
	}
	for _, text := range []string{
		"%s", "xTOOL_CALL:\n%s", "TOOL_CALLS:\n%s", "TOOL_CALL\n%s", "TOOL CALL:\n%s", "TOOL_CALL:\none\ntwo\n%s", "TOOL_CALL:\n```\n```\n%s", "TOOL_CALL: see %s",
	} {
		cases[fmt.Sprintf(text, lost)] = ""
	}
	check(t, cases, "stop")
}

func TestParse_BareObjects(t *testing.T) {
	check(t, map[string]string{
		"So " + callA + " it is.":                          `read_file{"path":"a"} bare_json`,
		`{"arguments": {"path": "a"}, "tool":"read_file"}`: `read_file{"path":"a"} bare_json`,
		"```json\n[" + callA + ",\n" + callB + "]\n```":    `read_file{"path":"a"} bare_json; read_file{"path":"b"} bare_json`,
		callA + callB: `read_file{"path":"a"} bare_json; read_file{"path":"b"} bare_json`,
		`{"tool": "git_status", "arguments": null}`: `git_status{} bare_json`,
		`{"tool": "git_status"}`:                    ``,
		`{"tool": "Read_File", "arguments": {}}`:    ``,
		`{"Tool": "read_file", "arguments": {}}`:    ``,
		`{"tool": "read_file", "arguments": 7}`:     `malformed arguments_not_object`,
		`{"tool": "read_file", "arguments": {...}}`: `malformed syntax`,
		`{"tool": ..., "arguments": ...}`:           ``,
		lost:                                        ``,
	}, "stop")
}

// What stands inside a value of something else is data, also where that is no
// JSON; what follows it is read again.
func TestParse_NothingInsideAValue(t *testing.T) {
	const b = `read_file{"path":"b"} bare_json`
	check(t, map[string]string{
		`print{"say "hi"} ` + callB:                                             b,
		`{"steps": [` + callA + `]} ` + callB:                                   b,
		`[1, ` + callA + `] ` + callB:                                           b,
		`[["x", ` + callA + `]] ` + callB:                                       b,
		`{steps: run(), then: [` + callA + `]} ` + callB:                        b,
		`{"steps": run(), "then": [` + callA + `]} ` + callB:                    b,
		`{"note": "say "hi"", "then": ` + callA + `}`:                           `malformed doubtful_string`,
		`{"file": "a", "text": "say "hi"` + "\nTOOL_CALL:\n" + callA + `"}`:     `malformed doubtful_string`,
		`{"tool": "lookup", "arguments": {"then": ` + callA + `}} ` + callB:     b,
		`TOOL_CALL: {"note": ` + callA + `} ` + callB:                           b,
		`TOOL_CALL: {"tool": "lookup", "arguments": 7, "then": ` + callA + `}`:  `malformed arguments_not_object`,
		"```js\nf({ title: \"a\" + b, g() {} });\n```\nTOOL_CALL:\n" + callB:    `read_file{"path":"b"} marker`,
		"```js\nf({ title: \"a\" as const });\n```\nTOOL_CALL:\n" + callB:       `read_file{"path":"b"} marker`,
		"[]string{\"a\", \"b\"} and map[string]int{\"a\": 1} and ${X} " + callB: b,
		"{ color: red; } {{ template }} {% block %} " + callB:                   b,
	}, "stop")
}

func TestParse_Elements(t *testing.T) {
	const a = `read_file{"path":"a"} xml`
	args := func(s string) string {
		return "<tool_call><tool_name>read_file</tool_name><arguments>" + s + "</arguments></tool_call>"
	}
	check(t, map[string]string{
		args(`{"path": "a"}`): a, args("\n {\"path\": \"a\"}\n"): a, args(`<![CDATA[{"path": "a"}]]>`): a, args(`{"path": "a",}`): a + " trailing_comma",
		args(`{&quot;path&quot;: &quot;a&quot;}`): a + " entities", args(`{"path": "a}`): a + " missing_quote", args(`{"path": "a"`): a + " missing_closer",
		args(`{"path": "&lt;"}`): `read_file{"path":"&lt;"} xml`, args(`"{\"path\": \"a\"}"`): a, args(``): `read_file{} xml`, args(`null`): `read_file{} xml`,
		args(`{"path": "</arguments></tool_call>"}`): `read_file{"path":"</arguments></tool_call>"} xml`,
		args(`{"path": "a"} and more`):               `malformed not_closed`, args(`{"path": "a"} {"path": "b"}`): `malformed not_closed`, args(`{"path": "a"},`): a,
		args("```json\n{\"path\": \"a\"}\n```"): a, args("{\"path\": \"a\"}\nand more"): a + " missing_closer",
		args(`[]`): `malformed arguments_not_object`, args(`path=a`): `malformed arguments_not_object`, args(`{"path": "say "hi""}`): `malformed doubtful_string`,
		args(`{"path": "a"}`) + args(`{"path": "b"}`):                                                                          a + `; read_file{"path":"b"} xml`,
		`<tool_call id="1"><tool_name> read_file </_name><arguments>{"path": "a"}</></tool_call>`:                              a,
		`<tool_call><tool_name><![CDATA[read_file]]></tool_name><arguments>{"path": "a"}</arguments></tool_call>`:              a,
		`<tool_call><read_file><arguments>{"path": "a"}</arguments></read_file></tool_call>`:                                   a,
		`<tool_call><read_file>{"path": "a"}</read_file></tool_call>`:                                                          a,
		`<tool_call><read_file/><arguments>{"path": "a"}</arguments></tool_call>`:                                              a,
		`<tool_call><read_file></read_file><arguments>{"path": "a"}</arguments></tool_call>`:                                   a,
		`<tool_call><tool_name>read_file<arguments>{"path": "a"}</arguments></tool_call>`:                                      a + " missing_closer",
		`<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}</tool_call>`:                                      a + " missing_closer",
		`<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}`:                                                  a + " missing_closer",
		`<tool_call><tool_name>lookup</tool_name><arguments/></tool_call>`:                                                     `lookup{} xml`,
		`<tool_call><tool_name>git_status</tool_name></tool_call>`:                                                             `git_status{} xml`,
		`<tool_call><tool_name></tool_name><arguments>{}</arguments></tool_call>`:                                              `malformed name_not_string`,
		`<tool_call><tool_name/><arguments>{}</arguments></tool_call>`:                                                         `malformed name_not_string`,
		`<tool_call><tool_name>read_file</tool_name><path>a</path></tool_call>`:                                                `malformed arguments_missing`,
		`<tool_call><tool_name>read_file</tool_name><arguments>{}</arguments><arguments>{"path": "b"}</arguments></tool_call>`: `malformed duplicate_key`,
		`<tool_call><tool_name>read_file</tool_name>`:                                                                          `incomplete cut`, `<tool_call><tool_name>read_fi`: `incomplete cut`, `<tool_call><tool_name>read_file</tool_name><argu`: `incomplete cut`,
		`<tool_call><tool_name>read_file</tool_name><arguments>`: `incomplete cut`, `<tool_call><tool_name>read_file</tool_name><arguments></`: `incomplete cut`,
		`<tool_call><tool_name>read_file</tool_name><arguments>nu`: `incomplete cut`,
		`<tool_call>`: ``, `<tool_call>lookup</tool_call>`: ``, `Use <tool_call> tags.`: ``, `</tool_call>`: ``, `<tool_call/>`: ``,
	}, "stop")
}

func TestParse_Dialects(t *testing.T) {
	for id, example := range dialects() {
		r := parse(example)
		if len(r.Calls) != 1 || r.Calls[0].Source != id || r.Calls[0].Repaired || strings.TrimSpace(r.Leftover) != "" {
			t.Errorf("Parse(%q) = %q, leaving %q, want one call of %s", example, brief(r), r.Leftover, id)
		}
		if other := parse(strings.ReplaceAll(example, "read_file", "lookup")); len(other.Calls) != 0 {
			t.Errorf("Parse(%q) with an unknown tool = %q, want no call", example, brief(other))
		}
	}
	const a = `read_file{"path":"a"} `
	check(t, map[string]string{
		`{"name": "read_file", "description": "d", "parameters": {"path": "a"}}`:                                                ``,
		`{"name": "read_file", "parameters": {"type": "object", "properties": {}}}`:                                             ``,
		`TOOL_CALL: {"name": "read_file", "parameters": {"type": "object", "properties": {}}}`:                                  ``,
		`{"type": "function", "function": {"name": "read_file", "description": "d", "parameters": {}}}`:                         ``,
		`{"name": "read_file", "function": "git_status", "input": {}}`:                                                          ``,
		`{"tool": "read_file", "name": "x", "arguments": {"path": "a"}}`:                                                        a + `bare_json`,
		`{"function": "read_file", "args": {"path": "a"}, "id": "1"}`:                                                           a + `key_names`,
		`{"tool_name": "read_file", "params": {"path": "a"}}`:                                                                   a + `key_names`,
		`TOOL_CALL: {"name": "read_file", "input": {"path": "a"}, "why": "x"}`:                                                  a + `key_names`,
		`<tool_call>{"name": "read_file", "arguments": {"path": "a"}}`:                                                          a + `hermes missing_closer`,
		`<tool_call>{"name": "read_file", "arguments": {"path": "a"}` + "\n</tool_call>":                                        a + `hermes missing_closer`,
		`<tool_call>{"name": "read_file", "arguments": {"path": "a}}</tool_call>`:                                               a + `hermes missing_quote`,
		`<tool_call>` + callA + callB + `</tool_call>`:                                                                          a + `hermes; read_file{"path":"b"} hermes`,
		`<tool_call>{"name": "read_file", "arguments": {"path": "say "hi""}}</tool_call>` + callB:                               `malformed doubtful_string`,
		`{"tool": "read_file", "arguments": "{\"path\": \"a\"}"}`:                                                               a + `arguments_string`,
		`{"tool": "read_file", "arguments": "\"{}\""}`:                                                                          `malformed arguments_not_object`,
		`{"tool_calls": [{"name": "read_file", "arguments": {"path": "a"}}, {"name": "git_status"}]}`:                           a + `openai_tool_calls; git_status{} openai_tool_calls`,
		`{"tool_calls": [{"name": "read_file", "arguments": 7}]}`:                                                               `malformed arguments_not_object`,
		`{"tool_calls": [{"name": "lookup", "arguments": {}}]}`:                                                                 ``,
		"<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>":                       a + `function_tag`,
		`<tool_call><function=read_file><parameter=max_bytes>7</parameter><parameter=path>7</parameter></function></tool_call>`: `read_file{"max_bytes":7,"path":"7"} function_tag`,
		`<tool_call><function=write_file><parameter=content>say "\n" {</parameter></function></tool_call>`:                      `write_file{"content":"say\"\\n\"{"} function_tag`,
		`<tool_call><function=read_file><parameter=path>a</parameter><parameter=path>b</parameter></function></tool_call>`:      `malformed duplicate_key`,
		`<tool_call><function=read_file><parameter=path>a`:                                                                      `incomplete cut`,
		`<tool_call><function=read_file><parameter=path>a</function></tool_call>`:                                               `malformed not_closed`,
		`<tool_call><function=read_file><parameter=path>a</parameter></function>`:                                               a + `function_tag missing_closer`,
		`[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}, {"name": "lookup", "arguments": {}}]`:                  a + `tool_calls_list`,
		`[TOOL_CALLS] none`: ``,
		`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a`:                   `incomplete cut`,
		`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{path: "a",}<|tool_call_end|>`: a + `tool_calls_section bare_key trailing_comma`,
		`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"`:                  `incomplete cut`,
		`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": a}`:                   `malformed syntax`,
		`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}`:                 a + `tool_calls_section missing_closer`,
	}, "stop")
}

func TestParse_Reasoning(t *testing.T) {
	const b = `read_file{"path":"b"} bare_json`
	check(t, map[string]string{
		"<think>" + callA + "</think>" + callB: b, "<Thinking>" + callA + "</thinking >" + callB: b, "<reasoning>" + callA + "</reasoning>" + callB: b,
		"I could " + callA + "</think>" + callB: b, "TOOL_CALL:\n{\"tool\": 7}</think>" + callB: b, "<think>a</reasoning>" + callA + "</think>" + callB: b,
		callB + "<think>" + callA: b, "<think>" + callA: ``, callB + "</think>": b, "<thinker>" + callB: b, "<think/>" + callB: b,
		`{"tool": "write_file", "arguments": {"content": "<think>"}} ` + callB: `write_file{"content":"<think>"} bare_json; ` + b,
		"TOOL_CALL:<think>x</think>" + lost:                                    ``,
	}, "stop")
}

func TestParse_MalformedObjects(t *testing.T) {
	deep := func(n int) string {
		return `{"tool": "read_file", "arguments": {"a": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	for text, want := range map[string]string{
		`{"tool": "read_file", "tool": "delete_file", "arguments": {}}`:      "duplicate_key",
		`{"tool": "read_file", "t\u006fol": "delete_file", "arguments": {}}`: "duplicate_key",
		`{"tool": "read_file", "arguments": {}, "arguments": {"path": "a"}}`: "duplicate_key",
		`{"tool": 5, "arguments": {}}`:                                       "name_not_string", `{"tool": null, "arguments": {}}`: "name_not_string",
		`{"tool": ["read_file"], "arguments": {}}`: "name_not_string", `{"tool": "", "arguments": {}}`: "name_not_string",
		`{"tool": "read_file", "arguments": []}`: "arguments_not_object", `{"tool": "read_file", "arguments": "a"}`: "arguments_not_object",
		`{"tool": "read_file", "arguments": true}`: "arguments_not_object", `{"tool": "read_file", "arguments": "[1]"}`: "arguments_not_object",
		`{"tool": "read_file", "path": "a"}`: "arguments_missing", `{"tool": "read_file", "arguments": null, "path": "a"}`: "arguments_missing",
		`{"tool": "lookup", "path": "a"}`: "arguments_missing", `{"tool": "read_file", "arguments": "", "path": "a"}`: "arguments_missing",
		`{"tool": read file, "arguments": {}}`: "syntax", `{"tool": "read_file", "arguments": {"path": README.md}}`: "syntax",
		`{"tool": "read_file", "arguments": {"n": 01}}`: "syntax", `{"tool": "read_file", "arguments": {"n": .5}}`: "syntax",
		`{"tool": "read_file", "arguments": {"n": +1}}`: "syntax", `{"tool": "read_file", "arguments": {"path": "a", ...}}`: "syntax",
		`{"tool": "read_file", "arguments": {"path": "a.txt"` + "\nand so on}}": "doubtful_string",
		`{"tool": "read_file", "arguments": {"path": "C:\Users\x"}}`:            "doubtful_path", deep(255): "too_deep",
	} {
		text = "TOOL_CALL:\n" + text
		r := parse(text)
		sound(t, text, r)
		if len(r.Calls) != 0 || len(r.Refused) != 1 || r.Refused[0].Reason != want || r.Refused[0].Offset != 11 || !slices.Contains(reasons(), want) {
			t.Errorf("Parse(%.200q) = %q, %+v, want one refusal: %s", text, brief(r), r.Refused, want)
		}
	}
	nested := `{"tool": "read_file", "arguments": ` + strings.Repeat(`{"a":`, 256) + "1" + strings.Repeat("}", 256) + "}"
	if r := parse("TOOL_CALL:\n" + nested); brief(r) != "malformed too_deep" {
		t.Errorf("Parse of 257 objects = %q, want it too deep", brief(r))
	}
	if r := parse(deep(254)); len(r.Calls) != 1 {
		t.Errorf("Parse of 256 levels = %q, want a call", brief(r))
	}
	for _, text := range []string{`{}`, `[]`, `{"a": 1}`, `{"arguments": {"path": "a"}}`, `{"a" 1}`, `5`} {
		if r := parse("TOOL_CALL:\n" + text); brief(r) != "" {
			t.Errorf("Parse(marker %q) = %q, want nothing", text, brief(r))
		}
	}
}

func TestParse_CountedAndBounded(t *testing.T) {
	r := parse(strings.Repeat(callA+"\n", MaxCalls+2))
	if len(r.Calls) != MaxCalls || len(r.Refused) != 2 || r.Refused[1].Reason != "too_many_calls" || strings.Count(r.Leftover, "read_file") != 2 {
		t.Errorf("%d calls, refused %+v, leaving %q; want 64, two refused and left", len(r.Calls), r.Refused, r.Leftover)
	}
	big := strings.Repeat(" ", MaxBytes) + callA
	if r := parse(big); len(r.Calls) != 0 || len(r.Refused) != 1 || r.Refused[0].Status != Malformed || r.Refused[0].Reason != "message_too_large" || r.Leftover != big {
		t.Errorf("Parse of 16 MiB and more = %q", brief(r))
	}
	if r := parse(strings.Repeat(" ", MaxBytes-len(callA)) + callA); len(r.Calls) != 1 {
		t.Errorf("Parse of 16 MiB = %q, want the call", brief(r))
	}
}

func TestParse_LeftoverAndOffsets(t *testing.T) {
	r := parse("One.\n\nTOOL_CALL:\n" + callA + "\n\nTwo [" + callB + ", {\"note\": 1}]\nTOOL_CALL:\n{\"tool\": 7}\n")
	if want := "One.\n\n\n\nTwo [, {\"note\": 1}]\nTOOL_CALL:\n{\"tool\": 7}\n"; r.Leftover != want {
		t.Errorf("leftover is %q, want %q", r.Leftover, want)
	}
	var offsets []int
	for _, c := range r.Calls {
		offsets = append(offsets, c.Offset)
	}
	if diff := cmp.Diff([]int{17, 73}, offsets); diff != "" || r.Refused[0].Offset != 148 || r.Refused[0].Text != `{"tool": 7}` {
		t.Errorf("offsets (-want +got):\n%s and refused %+v", diff, r.Refused)
	}
}

func TestParse_KeepsValuesAsTheyAre(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"n": 12345678901234567890.10}`: `{"n": 12345678901234567890.10}`,
		`{"s": "\u00e9\/\ud83d"}`:        `{"s": "\u00e9\/\ud83d"}`,
		"{\"s\": \"\xff\"}":              "{\"s\": \"\ufffd\"}",
		`{"s": "a\\nb", "a": 1, "a": 2}`: `{"s": "a\\nb", "a": 1, "a": 2}`,
	} {
		r := parse(`TOOL_CALL: {"tool": "x", "arguments": ` + arguments + `}`)
		if len(r.Calls) != 1 || string(r.Calls[0].Arguments) != want {
			t.Errorf("arguments %s come out as %+v, want %s", arguments, r.Calls, want)
		}
	}
}

func TestParse_ZeroOptions(t *testing.T) {
	r := Parse("TOOL_CALL:\n"+callA+"\n"+callB+"\nTOOL_CALL:\n"+callA[:len(callA)-1], Options{})
	if got := brief(r); got != `read_file{"path":"a"} marker; incomplete cut` {
		t.Errorf("Parse with no options = %q, want the call under the marker, and the cut one refused", got)
	}
	o := Options{Tools: []chat.ToolSpec{{Name: "lookup", Parameters: json.RawMessage(`no`)}}, FinishReason: "stop"}
	if got := brief(Parse("<tool_call><function=lookup><parameter=n>7</parameter></function></tool_call>", o)); got != `lookup{"n":"7"} function_tag` {
		t.Errorf("Parse with unreadable parameters = %q, want text", got)
	}
}

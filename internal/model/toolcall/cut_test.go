package toolcall

import (
	"slices"
	"strings"
	"testing"
)

// TestParse_EveryPrefix cuts texts with one call at every byte: each cut text
// has that call or none, and none before its end when the reply was cut.
func TestParse_EveryPrefix(t *testing.T) {
	texts := []string{
		"TOOL_CALL:\n" + callA, "I look.\n\nTOOL_CALL:\n```json\n" + callA + "\n```\nSo.", `{"arguments": {"path": "a b"}, "tool": "read_file"}`,
		"TOOL_CALL:\n{'tool': 'execute_command', 'arguments': {'command': 'echo \"x\" \\'y\\' | sed s/a/b/'}}", `[{"tool": "read_file", "arguments": {"path": "日本/😀.txt"}}]`,
		`TOOL_CALL: {"tool": "read_file", "arguments": {"n": -12.5e+30}}`, `TOOL_CALL: {"tool": "read_file", "arguments": {"deep": [[true]]}}`,
		`TOOL_CALL: {"tool": "write_file", "arguments": {"content": "{\"tool\": \"delete_file\", \"arguments\": {}}\nTOOL_CALL:\n\\"}}`,
		"TOOL_CALL: {\"tool\": \"write_file\", \"arguments\": {\"content\": \"a\nb\n\n}}\n}\",}}",
		"<tool_call>\n<tool_name>read_file</tool_name>\n<arguments>{\"path\": \"a\"}</arguments>\n</tool_call>", "<tool_call><read_file><arguments><![CDATA[{\"path\": \"a\"}]]></arguments></read_file></tool_call>",
		"<tool_call><tool_name>git_status</tool_name></tool_call>", "<think>no " + callB + "</think>" + callA,
	}
	for _, example := range dialects() {
		texts = append(texts, example)
	}
	for _, text := range texts {
		whole := got(t, parse(text))
		if len(whole) != 1 {
			t.Errorf("Parse(%q) has %q, want one call", text, whole)
			continue
		}
		first := len(text)
		for n := range len(text) {
			r := parse(text[:n])
			sound(t, text[:n], r)
			if calls := got(t, r); len(calls) != 0 && !slices.Equal(calls, whole) {
				t.Errorf("Parse(%q) = %q, want %q or nothing", text[:n], calls, whole)
			}
			cut := parseCut(text[:n])
			sound(t, text[:n], cut)
			if calls := got(t, cut); len(calls) != 0 {
				first = min(first, n)
				if !slices.Equal(calls, whole) {
					t.Errorf("Parse(%q) of a cut reply = %q, want %q or nothing", text[:n], calls, whole)
				}
			}
		}
		if rest := strings.Trim(text[first:], " \n`So."); rest != "" && rest != "]" && rest != "<|tool_calls_section_end|>" {
			t.Errorf("a cut reply has the call of %q already before %q", text, rest)
		}
	}
}

func TestParse_CutReplies(t *testing.T) {
	const a = `read_file{"path":"a"} marker`
	for _, finish := range []string{"length", "content_filter", "", "Stop", "error"} {
		check(t, map[string]string{
			"TOOL_CALL:\n" + callA: a, "TOOL_CALL:\n" + callA[:len(callA)-1]: `incomplete cut`, "TOOL_CALL:\n" + callA[:20]: `incomplete cut`,
			"TOOL_CALL:\n[" + callA + ", " + callB[:30]: a + `; incomplete cut`, "TOOL_CALL:\n[" + callA + ",": a + `; incomplete cut`, "TOOL_CALL:\n[" + callA: a,
			"TOOL_CALL:\n[": `incomplete cut`, "TOOL_CALL:\n{": `incomplete cut`, "TOOL_CALL:\n": ``, "TOOL_CALL:\n{\"a\": 1": `incomplete cut`,
			"TOOL_CALL:\n{'tool': 'read_file', 'arguments': {'path': 'a',},}": a + ` other_quotes trailing_comma`,
			`{"tool": "read_f`: `incomplete cut`, `{"tool": "nothing_`: ``, `{"note": "x`: ``, `{"tool_calls": [{"name": "read_f`: `incomplete cut`,
			`TOOL_CALL: {"tool": "read_file, "arguments": {"path": "a"}}`: `malformed doubtful_string`, `TOOL_CALL: {"tool": "read_file", "arguments": {"path": "a}}`: `incomplete cut`,
			`TOOL_CALL: {"tool": "read_file", "arguments": {"path": "say "hi`: `incomplete cut`, `TOOL_CALL: {"tool": "read_file", "arguments": {"path": "say "hi""}}`: `malformed doubtful_string`,
			`[TOOL_CALLS] [{"na`:                   `incomplete cut`,
			`{"":""]"0{tool:read_file "args":"" }`: `malformed doubtful_string`, `{"note": "a"], which isn't "b"} so. ` + callA: `malformed doubtful_string`,
			`TOOL_CALL: {"tool": "read_file", "arguments": {"path": ["a"}}`: `malformed syntax`, `TOOL_CALL: {"tool": "read_file", "arguments": {"path": "a"]}`: `malformed syntax`,
			`<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a"}</arguments>`:   `incomplete cut`,
			`<tool_call>{"name": "read_file", "arguments": {"path": "a"}}`:                      `incomplete cut`,
			`<tool_call>{"name": "read_file", "arguments": {"path": "a`:                         `incomplete cut`,
			`<tool_call><function=read_file><parameter=path>a</parameter></function>`:           `incomplete cut`,
			`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}`: `incomplete cut`,
		}, finish)
	}
}

// What ends in the middle of a token is cut whatever the finish reason says.
func TestParse_CutAtANormalEnd(t *testing.T) {
	const head = `TOOL_CALL: {"tool": "read_file", "arguments": `
	for _, rest := range []string{
		``, `{`, `{"`, `{"path`, `{"path"`, `{"path":`, `{"path": `, `{"path": "`, `{"path": "a`, `{"path": "a\`, `{"path": "a\u00`, `{"path": "a",`, `{"n": 1`, `{"n": -`, `{"n": 1.`, `{"n": 1e`,
		`{"b": t`, `{"b": tru`, `{"b": Fals`, `{"b": [`, `{"b": [1,`, `{"b": [{`, `{'path': 'a`, `{path`, `{"path": "a", /* so`, `{"path": "a", // so`, `{"content": "a}}`,
	} {
		r := parse(head + rest)
		if len(r.Calls) != 0 || !r.Incomplete || len(r.Refused) != 1 {
			t.Errorf("Parse(%q) = %q, incomplete %v; want it cut", head+rest, brief(r), r.Incomplete)
		}
	}
	for _, text := range []string{`TOOL_CALL: {`, `TOOL_CALL: {"tool`, `TOOL_CALL: {"tool"`, `TOOL_CALL: {"tool": `, `TOOL_CALL: {"tool": read_fi`, `TOOL_CALL: {"tool": "read_file"`, `TOOL_CALL: {"tool": "read_file",`} {
		if r := parse(text); len(r.Calls) != 0 || !r.Incomplete {
			t.Errorf("Parse(%q) = %q, incomplete %v; want it cut", text, brief(r), r.Incomplete)
		}
	}
}

// TestParse_HostileShapes reads a megabyte of each shape. One that cost the
// square of its length would not end within the time of the whole test.
func TestParse_HostileShapes(t *testing.T) {
	for name, text := range shapes(1 << 20) {
		r := parse(text)
		if len(r.Calls) > MaxCalls {
			t.Errorf("%d calls in a megabyte of %q", len(r.Calls), name)
		}
		if strings.HasPrefix(name, "one content") && len(r.Calls) != 1 && name != "one content, open" {
			t.Errorf("%s: %q, want one call", name, brief(r))
		}
		parseCut(text)
	}
}

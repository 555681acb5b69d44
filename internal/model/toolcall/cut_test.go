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

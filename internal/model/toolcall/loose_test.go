package toolcall

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestParse_QuotedBehindBrokenTags breaks each byte of the tags around a
// parameter that quotes a call. The quoted call is never made, and the call
// around it either has all of its content or is not made.
func TestParse_QuotedBehindBrokenTags(t *testing.T) {
	const object = `{"tool": "delete_file", "arguments": {"path": "src"}}`
	for _, quoted := range []string{
		"TOOL_CALL:\n" + object, "\n\n**TOOL_CALL:**\n```json\n" + object + "\n```", object, "[" + object + "]",
		"<tool_call>\n" + object + "\n</tool_call>", `[TOOL_CALLS] [` + object + `]`,
		`<tool_call><tool_name>delete_file</tool_name><arguments>{"path": "src"}</arguments></tool_call>`,
		`<tool_call><function=delete_file><parameter=path>src</parameter></function></tool_call>`,
		`<|tool_call_begin|>functions.delete_file:0<|tool_call_argument_begin|>{"path": "src"}<|tool_call_end|>`,
	} {
		content := "begin\n" + quoted + " so.\nend"
		for _, form := range []string{
			"<tool_call><function=write_file><parameter=path>a</parameter><parameter=content>%</parameter></function></tool_call>",
			"<tool_call>\n<function=write_file>\n<parameter=content>\n%\n</parameter>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
		} {
			for i := range len(form) {
				for _, tags := range []string{form[:i] + form[i+1:], form[:i+1] + form[i:], form[:i] + "x" + form[i+1:], form[:i] + " " + form[i:], form[:i]} {
					if strings.Count(tags, "%") != 1 {
						continue
					}
					checkWhole(t, strings.Replace(tags, "%", content, 1), content)
				}
			}
		}
	}
}

// checkWhole reports a call in text that is quoted in content, and one that has
// a part of content only.
func checkWhole(t *testing.T, text, content string) {
	t.Helper()
	r := Parse(text, Options{Tools: offered(), FinishReason: "stop"})
	sound(t, text, r)
	for _, c := range r.Calls {
		var arguments map[string]string
		err := json.Unmarshal(c.Arguments, &arguments)
		for _, value := range arguments {
			if strings.HasPrefix(value, "begin") && !strings.Contains(value, content) {
				t.Errorf("Parse(%q) calls %s with a part of its content: %q", text, c.Tool, value)
			}
		}
		if c.Tool != "write_file" || err != nil {
			t.Errorf("Parse(%q) = %q, want no call of %s", text, brief(r), c.Tool)
		}
	}
}

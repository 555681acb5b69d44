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

// TestParse_LooseTags has calls next to tags that belong to none: those that may
// stand in a value are refused, others are made.
func TestParse_LooseTags(t *testing.T) {
	const a, broken = `read_file{"path":"a"} bare_json`, `malformed not_closed`
	check(t, map[string]string{
		callA + "<tool_cal><functin=write_file><parameter=content>" + callB + "</parameter></function></tool_call>":                    a + "; " + broken,
		callA + "<tool_call><functin=write_file><parameter=content>" + callB + "</parameter></function></tool_call>":                   a + "; " + broken,
		callA + "<tool_call><functin=write_file><paramter=content>" + callB + "</parameter></function></tool_call>":                    broken + "; " + broken,
		"<tool_cal><functin=write_file><parameter=content>" + callA + "</parameter></function></tool_call>" + callB:                    broken,
		"<tool_cal><functin=write_file><parameter=content>" + callA + "</paramter></function></tool_call>" + callB:                     broken,
		"<tool_cal><functin=write_file><parameter=content>" + callA + "</parameter></function>" + callB + "</function>":                broken,
		"<tool_call><function=write_file><parameter=content>" + callA + "<paramter=x>1</parameter></function></tool_call></parameter>": broken,
		"Tags like <function=read_file> and <parameter=path> follow.\n" + callA:                                                        a,
		"<function>" + callA + "</function>":     a,
		"<tool_call>[" + callA + "]</tool_call>": a,
		callA + "</tool_call>":                   a,
	}, "stop")
	check(t, map[string]string{
		"<tool_cal><functin=write_file><parameter=content>" + callA:                                           broken,
		"<tool_cal><functin=write_file><parameter=content>x</parameter></function></tool_call>" + callA + "<": broken,
	}, "length")
}

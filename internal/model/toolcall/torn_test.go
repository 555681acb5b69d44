package toolcall

import (
	"fmt"
	"strings"
	"testing"
)

// Values that hold quotes and closers of their own, none of them escaped: a
// decoder sees a whole object in each, with half of the value.
var torn = []string{
	`echo "}}"`, `echo "}} foo"`, `a"}}b"}}c`, `echo "}}\n" x`, `echo "}}" && awk '{print}'`, `if x == "}}" { y("a") }`, `x="}"; y="}}"`, `"}}`,
}

// TestParse_TornValues writes each of them in every form that holds JSON. None
// is a call, whatever follows, and no part of one is read as something else.
func TestParse_TornValues(t *testing.T) {
	forms := []string{
		`TOOL_CALL: {"tool": "execute_command", "arguments": {"command": "%s"}}`, `{"arguments": {"command": "%s"}, "tool": "execute_command"}`,
		`TOOL_CALL: {"tool": "write_file", "arguments": {"path": "a", "content": "%s\n"}}`, "TOOL_CALL:\n{\"tool\": \"write_file\", \"arguments\": {\"path\": \"a\", \"content\": \"one\n%s\ntwo\"}}",
		`TOOL_CALL: {"tool": "execute_command", "arguments": {"command": "%s",},}`, `TOOL_CALL: [` + callA + `, {"tool": "execute_command", "arguments": {"command": "%s"}}]`,
		`[TOOL_CALLS] [{"name": "execute_command", "arguments": {"command": "%s"}}]`, `{"tool_calls": [{"name": "execute_command", "arguments": {"command": "%s"}}]}`,
		`<tool_call>{"name": "execute_command", "arguments": {"command": "%s"}}</tool_call>`, `<tool_call>{"name": "execute_command", "arguments": {"command": "%s"}}`,
		`<tool_call><tool_name>execute_command</tool_name><arguments>{"command": "%s"}</arguments></tool_call>`,
		"<tool_call><tool_name>write_file</tool_name><arguments>{\"path\": \"a\", \"content\": \"one\n%s\n\"}</arguments></tool_call>",
	}
	for _, f := range families() {
		if f.named && f.open == "" {
			forms = append(forms, strings.NewReplacer("read_file", "execute_command", "path", "command", "README.md", "%s").Replace(f.examples[0]))
		}
	}
	for _, form := range forms {
		for _, value := range torn {
			for _, after := range []string{"", "\n", "\n\nThat should do.", "\n" + callB} {
				for _, finish := range []string{"stop", "length"} {
					text := fmt.Sprintf(form, value) + after
					r := Parse(text, Options{Tools: offered(), FinishReason: finish})
					sound(t, text, r)
					for _, c := range r.Calls {
						if c.Tool != "read_file" {
							t.Errorf("Parse(%q, %q) = %q, want no call", text, finish, brief(r))
						}
					}
				}
			}
		}
	}
}

func TestParse_TornIsRefused(t *testing.T) {
	const doubtful = `malformed doubtful_string`
	const command = `{"command": "echo "}}""}`
	check(t, map[string]string{
		`TOOL_CALL: {"tool": "execute_command", "arguments": ` + command + `}` + "\n" + callA: doubtful,
		`{"tool": "execute_command", "arguments": ` + command + `}`:                           doubtful,
		`{"tool": "lookup", "arguments": ` + command + `}` + "\n" + callA:                     doubtful,
		`[` + callA + `, {"tool": "execute_command", "arguments": ` + command + `}]`:          `read_file{"path":"a"} bare_json; ` + doubtful,
		`<tool_call><tool_name>execute_command</tool_name><arguments>` + command + callB:      doubtful,
		`<tool_call>{"name": "execute_command", "arguments": ` + command + callB:              doubtful,
		`<|tool_call_begin|>execute_command<|tool_call_argument_begin|>` + command:            doubtful,
	}, "stop")
}

// What people write behind a call, on its line and below it, does not make it
// doubtful.
func TestParse_WholeCallsBeforeQuotes(t *testing.T) {
	raw := "{\"tool\": \"write_file\", \"arguments\": {\"path\": \"a\", \"content\": \"one\ntwo\n\"}}"
	for _, after := range []string{
		` reads "a" first.`, ` and then {"b": "c"}.`, "\n\n\"a\" is read, and `{}` is kept.", "\nIt's {done}.", "\n```\nIt said \"so\".", `}`, `}} // see "a"`,
		" <- 'a'", "\n\nHere \"a\" and {\"b\": \"}\"}", `"`, `'`, `",`,
	} {
		for _, call := range []string{callA, callA[:len(callA)-1] + ",}", strings.ReplaceAll(callA, `"`, `'`)} {
			if r := parse("TOOL_CALL:\n" + call + after); len(r.Calls) != 1 || len(r.Refused) != 0 {
				t.Errorf("Parse(%q) = %q, want the call", call+after, brief(r))
			}
		}
		if r := parse(raw + "\n" + after); len(r.Calls) != 1 {
			t.Errorf("Parse(%q) = %q, want the call", raw+"\n"+after, brief(r))
		}
	}
}

// TestParse_ClosedLater has a quote and a blank line in a value, and braces
// behind them: an object whose closers were lost, were it not for those that
// stand further on.
func TestParse_ClosedLater(t *testing.T) {
	const begun = "TOOL_CALL:\n{\"tool\": \"write_file\", \"arguments\": {\"path\": \"a\", \"content\": \"one\"\n\n"
	const doubtful, whole = `malformed doubtful_string`, `write_file{"path":"a","content":"one"} marker missing_closer`
	check(t, map[string]string{
		begun + "Use {\\\"b\\\": 1} so.\n\"}}":     doubtful,
		begun + "func f() { g() }\n\nend\n\"}}":    doubtful,
		begun + "Use {} so.\n\", \"more\": \"\"}}": doubtful,
		begun + "Then {b} is kept.":                whole,
		begun + callB:                              whole + `; read_file{"path":"b"} bare_json`,
	}, "stop")
}

// TestParse_QuotedInBrokenElement has a call quoted in a parameter, under a
// marker of its own, while the element around it is broken.
func TestParse_QuotedInBrokenElement(t *testing.T) {
	const broken = `malformed not_closed`
	const element = "<parameter=content># Use\n\nTOOL_CALL:\n" + callA + "\n</parameter></function></tool_call>"
	check(t, map[string]string{
		"<tool_call><function=write_file><paraeter=path>a</parameter>" + element:                         broken,
		"<tool_call><function=write_file><parameter=path>a</paramter>" + element:                         broken,
		"<tool_call><function=write_file><parameter=path>a</paramter>" + element + "\n" + callB:          broken,
		"<tool_call><function=write_file><parameter=path>a</paramter>\n\nTOOL_CALL:\n" + callB:           `incomplete cut`,
		"<tool_call><function=write_file><parameter=path>a</paramter>\n\nTOOL_CALL:\n" + callB + element: broken,
	}, "stop")
}

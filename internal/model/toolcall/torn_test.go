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

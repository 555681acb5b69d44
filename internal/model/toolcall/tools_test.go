package toolcall

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// everyTool has a call of each tool that a run offers, with the values that
// are hardest to carry: quotes of both kinds, line ends, braces, closers.
var everyTool = []struct{ tool, arguments string }{
	{"get_workspace_summary", `{}`},
	{"git_status", `{}`},
	{"list_files", `{"recursive": true, "path": "src/a b"}`},
	{"read_file", `{"max_lines": 10, "path": "日本/a.go"}`},
	{"write_file", `{"path": "a.md", "content": "` + "```json\\n{\\\"tool\\\": \\\"delete_file\\\", \\\"arguments\\\": {\\\"path\\\": \\\"src\\\"}}\\n```" + `\n"}`},
	{"create_directory", `{"path": "a/b"}`},
	{"delete_file", `{"path": "old [1].js"}`},
	{"execute_command", `{"timeout_ms": 1000, "command": "grep -E \"\\d+\\.go\" x | awk '{print $1}' # \"}}\" // x"}`},
	{"task_output", `{"wait_ms": 5, "task_id": "t1"}`},
	{"task_stop", `{"task_id": "t1"}`},
	{"git_commit", `{"files": ["a", "b"], "message": "fix: it's \"done\", really"}`},
	{"search_history", `{"days": 3, "query": "foo: bar, baz"}`},
}

// everySpec describes them, as far as reading needs it.
func everySpec() []chat.ToolSpec {
	var specs []chat.ToolSpec
	for _, c := range everyTool {
		var arguments map[string]any
		_ = json.Unmarshal([]byte(c.arguments), &arguments)
		properties := map[string]any{}
		for name := range arguments {
			properties[name] = map[string]string{}
		}
		schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
		specs = append(specs, chat.ToolSpec{Name: c.tool, Parameters: schema})
	}
	return specs
}

// singleQuoted writes JSON with single quotes, apostrophes escaped.
func singleQuoted(s string) string {
	return strings.NewReplacer(`\\`, `\\`, `\"`, `"`, `"`, `'`, `'`, `\'`).Replace(s)
}

// TestParse_EveryTool writes each call in every form and with every slip that
// the format names, and reads back just that call.
func TestParse_EveryTool(t *testing.T) {
	specs := everySpec()
	read := func(text, finish string) Result { return Parse(text, Options{Tools: specs, FinishReason: finish}) }
	for _, c := range everyTool {
		name, args := c.tool, c.arguments
		object := `{"tool": "` + name + `", "arguments": ` + args + `}`
		want := canonical(t, name, json.RawMessage(args))
		whole := map[string]string{ // the text, and its source
			"TOOL_CALL:\n" + object: sourceMarker, "I look.\n\n**TOOL_CALL:**\r\n```json\r\n" + object + "\r\n```\r\nSo.": sourceMarker,
			object: sourceBare, "```\n[" + object + "]\n```": sourceBare, `{"arguments": ` + args + `, "tool": "` + name + `"}`: sourceBare,
			"<tool_call>\n<tool_name>" + name + "</tool_name>\n<arguments>" + args + "</arguments>\n</tool_call>":                      sourceXML,
			"<tool_call\n id='1'><tool_name\ttype=\"x\">" + name + "</_name><arguments >\n```json\n" + args + "\n```\n</></tool_call>": sourceXML,
			"<tool_call><" + name + "/><arguments><![CDATA[" + args + "]]></arguments></tool_call>":                                    sourceXML,
			"<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": " + args + "}\n</tool_call>":                                     "hermes",
			`[TOOL_CALLS] [{"name": "` + name + `", "arguments": ` + args + `}]`:                                                       "tool_calls_list",
			`{"tool_calls": [{"type": "function", "function": {"name": "` + name + `", "arguments": ` + strconv.Quote(args) + `}}]}`:   dialectEnvelope,
			"TOOL_CALL:\n" + `{"tool": "` + name + `", "arguments": ` + strconv.Quote(args) + `}`:                                      dialectString,
			`{"function": "` + name + `", "params": ` + args + `}`:                                                                     dialectKeys,
		}
		for text, source := range whole {
			r := read(text, "length")
			sound(t, text, r)
			if calls := got(t, r); len(calls) != 1 || calls[0] != want || r.Calls[0].Source != source || r.Calls[0].Repaired {
				t.Errorf("Parse(%q) = %q, want %s by %s", text, brief(r), want, source)
			}
		}
		slips := map[string]string{ // the text, and the repair
			object[:len(object)-1]: RepairCloser, object[:len(object)-1] + ",}": RepairTrailingComma, singleQuoted(object): RepairQuotes,
			strings.Replace(object, name+`"`, name, 1): RepairMissingQuote, strings.Replace(object, `"`+name, name, 1): RepairMissingQuote,
			strings.Replace(object, `"tool"`, `"tool`, 1): RepairMissingQuote, strings.Replace(object, `, "arguments"`, "\n\"arguments\"", 1): RepairMissingComma,
			strings.Replace(object, `"arguments"`, `arguments`, 1): RepairBareKey, strings.Replace(object, `"`+name+`"`, name, 1): RepairBareName,
			strings.Replace(object, `"tool"`, `/* so */ "tool"`, 1): RepairComment,
		}
		if args == "{}" || strings.HasSuffix(args, `"}`) {
			slips[object[:len(object)-2]] = RepairCloser
		}
		if args != "{}" {
			slips[object[:len(object)-2]+",}}"] = RepairTrailingComma
		}
		if n := len(object) - len(`"}}`); object[n] == '"' && !strings.ContainsAny(object[strings.LastIndex(object, `: "`):n], `\{[`) {
			slips[object[:n]+"}}"], slips[object[:n]+"\n }\n}\n"], slips[object[:n]+"}"] = RepairMissingQuote, RepairMissingQuote, RepairMissingQuote
		}
		for object, repair := range slips {
			text := "TOOL_CALL:\n" + object
			r := read(text, "stop")
			sound(t, text, r)
			if calls := got(t, r); len(calls) != 1 || calls[0] != want || !strings.Contains(brief(r), " "+repair) {
				t.Errorf("Parse(%q) = %q, want %s and %s", text, brief(r), want, repair)
			}
			if r := read(text, "length"); len(r.Calls) > 0 && (repair == RepairCloser || strings.HasSuffix(object, `y"done}}`)) {
				t.Errorf("Parse(%q) of a cut reply = %q, want nothing", text, brief(r))
			}
		}
	}
}

// TestParse_EveryByte drops and doubles every byte of each call. What is read
// then has the strings of the call but for that byte, or is no call.
func TestParse_EveryByte(t *testing.T) {
	specs := everySpec()
	for _, c := range everyTool {
		object := `{"tool": "` + c.tool + `", "arguments": ` + c.arguments + `}`
		for _, text := range []string{
			"TOOL_CALL:\n" + object, object, "TOOL_CALL:\n" + singleQuoted(object), "<tool_call><tool_name>" + c.tool + "</tool_name><arguments>" + c.arguments + "</arguments></tool_call>",
			`<tool_call>{"name": "` + c.tool + `", "arguments": ` + c.arguments + `}</tool_call>`,
		} {
			for i := range len(text) {
				for _, changed := range []string{text[:i] + text[i+1:], text[:i+1] + text[i:]} {
					if !utf8.ValidString(changed) {
						continue
					}
					r := Parse(changed, Options{Tools: specs, FinishReason: "stop"})
					sound(t, changed, r)
					if len(r.Calls) > 1 || len(r.Calls) == 1 && apart(c.arguments, string(r.Calls[0].Arguments)) {
						t.Errorf("Parse(%q) = %q, where %s was meant", changed, brief(r), c.arguments)
					}
				}
			}
		}
	}
}

// apart reports whether two objects differ in more than one character of what
// they hold, the order of their keys and doubled brackets aside.
func apart(a, b string) bool {
	left, right := characters(a), characters(b)
	same := 0
	for i, j := 0, 0; i < len(left) && j < len(right); {
		switch {
		case left[i] == right[j]:
			i, j, same = i+1, j+1, same+1
		case left[i] < right[j]:
			i++
		default:
			j++
		}
	}
	return len(left)-same > 2 || len(right)-same > 2
}

// characters returns the sorted bytes of an object as JSON.
func characters(object string) []byte {
	var v any
	_ = json.Unmarshal([]byte(object), &v)
	out, _ := json.Marshal(v)
	all := []byte(strings.NewReplacer(`\`, ``, "[[", "[", "]]", "]").Replace(string(out)))
	slices.Sort(all)
	return all
}

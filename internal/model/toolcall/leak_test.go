package toolcall

import (
	"strings"
	"testing"
)

// Markup of a call to a known tool is found in the formats of today and in some
// that nobody uses yet.
func TestLeaked(t *testing.T) {
	const fence = "```"
	for _, text := range []string{
		"<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
		"I look at it.\n\n<tool_call>list_files<arg_key>path</arg_key>sub</arg_value></tool_call>",
		"read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>",
		"<minimax:tool_call>\n<invoke name=\"read_file\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</minimax:tool_call>",
		"<function_calls>\n    <invoke name=\"read_file\">\n        <parameter name=\"path\">a</parameter>\n    </invoke>\n</function_calls>",
		"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read_file\">\n<｜DSML｜parameter name=\"path\" string=\"true\">a</｜DSML｜parameter>",
		"<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
		`<function=read_file>{"path": "a"}</function>`,
		`<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>`,
		`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
		"<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n" + fence + "json\n{\"path\": \"a\"}\n" + fence + "<｜tool▁call▁end｜>",
		`[TOOL_CALLS]read_file[ARGS]{"path": "a"}`,
		`[TOOL_CALLS]read_file{"path": "a"}`,
		`read_file[ARGS]{"path": "a"}`,
		`[read_file(path="a")]`,
		"Now I read.\n[git_status(), read_file(path=\"a\")]",
		`<|python_start|>[read_file(path="a")]<|python_end|>`,
		`<|tool_call_start|>[read_file(path="a")]<|tool_call_end|>`,
		`<|python_tag|>read_file.call(path="a")`,
		`<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a"}<|call|>`,
		`<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{"path":"a"}`,
		`commentary to=functions.read_file json{"path":"a"}`,
		"to=functions.read_file json\n{\"path\":\"a\"}",
		`analysisWe need the file.assistantcommentary to=functions.read_file json{"path":"a"}`,
		"Let me look at it first. to=functions.read_file {\"path\":\"a\"}\n",
		`<|tool_call_begin|>{"name": "read_file", "inputs": {}}`,
		"Thought: I look.\nAction: read_file\nAction Input: {\"path\": \"a\"}",
		"So:\n&lt;tool_call&gt;read_file&lt;arg_key&gt;path&lt;/arg_key&gt;&lt;arg_value&gt;a&lt;/arg_value&gt;&lt;/tool_call&gt;",
		"<tool_call>\nread_file\npath: a\n</tool_call>",
		`<|tool_call>call:read_file{path:<|"|>a<|"|>}<tool_call|>`,
		`<start_function_call>call:read_file{path:<escape>a<escape>}<end_function_call>`,
		`functions.read_file:0{"path": "a"}`,
		`<|tools_prefix|>[{"read_file": {"path": "a"}}]<|tools_suffix|>`,
		"<tool_call>git_status",
		"<tool_use>\n<name>read_file</name>\n<input>{\"path\": \"a\"}</input>\n</tool_use>",
		"<read_file>\n<path>a</path>\n</read_file>",
		`<read_file path="a"/>`,
		"<git_status></git_status>",
		`<tool name="read_file" path="a"/>`,
		fence + "tool_code\nprint(default_api.read_file(path=\"a\"))\n" + fence,
		fence + "xml\n<invoke name=\"read_file\"><parameter name=\"path\">a</parameter></invoke>\n" + fence,
		"<think>I need the file.</think>\n" + fence + "\n<tool_call>read_file<arg_key>path</arg_key>\n" + fence,
		"Use `<tool_call>` tags.\n<tool_call>read_file<arg_key>path</arg_key>", // quoted first, then not
		"It isn`t there.\n\n<tool_call>read_file<arg_key>path</arg_key> a`b",   // no code over paragraphs
		// Whole calls of a tool that is not known, at the end of the text.
		"I run it.\n<function=unknown_tool><parameter=path>a</parameter></function>",
		"<tool_call>unknown_tool\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
		"<tool_call>\n{\"name\": \"unknown_tool\", \"arguments\": {}}\n</tool_call>",
		`[TOOL_CALLS] [{"name": "unknown_tool", "arguments": {"path": "a"}}]`,
		`[TOOL_CALLS]unknown_tool[ARGS]{"path": "a"}`,
		"<minimax:tool_call>\n<invoke name=\"unknown_tool\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</minimax:tool_call>",
		`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>unknown_tool<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
		"<｜tool▁call▁begin｜>function<｜tool▁sep｜>unknown_tool\n" + fence + "json\n{\"path\": \"a\"}\n" + fence + "<｜tool▁call▁end｜>",
		`<|tool_calls_section_begin|><|tool_call_begin|>functions.unknown_tool:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>`,
		`<|channel|>commentary to=functions.unknown_tool <|constrain|>json<|message|>{"path":"a"}<|call|>`,
		// Formats that do not exist.
		`<|invoke_v3|>read_file<|with|>{"path": "a"}`,
		`<use:action id="1" of="read_file"><in k="path">a</in></use:action>`,
		`[[TOOL:read_file]]{"path": "a"}`,
		`[Calling tool read_file with {"path": "a"}]`,
		`<exec>read_file {"path": "a"}</exec>`,
		"✿FUNCTION✿: read_file\n✿ARGS✿: {\"path\": \"a\"}",
		`◁tool_call▷read_file◁sep▷{"path": "a"}`,
		`【call】read_file{"path": "a"}`,
	} {
		if r := Leaked(text, offered()); len(r) != 1 || r[0].Reason != ReasonLeaked || r[0].Status != Malformed || r[0].Tool == "" || !strings.HasPrefix(text[r[0].Offset:], r[0].Text) {
			t.Errorf("Leaked(%q) = %+v, want a call", text, r)
		}
	}
}

// Answers about the formats of calls, and others that name tools, are no calls.
func TestLeaked_Answers(t *testing.T) {
	const fence = "```"
	for _, text := range []string{
		"GLM writes `<tool_call>read_file<arg_key>path</arg_key>` and waits.",
		"A call is ``<function=read_file>{\"path\": \"`a`\"}</function>`` there.",
		"MiniMax writes it so:\n\n" + fence + "xml\n<minimax:tool_call>\n<invoke name=\"read_file\">\n</invoke>\n</minimax:tool_call>\n" + fence,
		fence + "\n<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{\"path\": \"a\"}<｜tool▁call▁end｜>\n" + fence + "\nis DeepSeek's way.",
		"Mistral:\n~~~\n[TOOL_CALLS]read_file[ARGS]{\"path\": \"a\"}\n~~~\nSee also its templates.",
		"Two of them:\n\n" + fence + "\n<tool_call>read_file</tool_call>\n" + fence + "\n\n" + fence + fence + "\n" + fence + "\n<invoke name=\"read_file\"></invoke>\n" + fence + "\n" + fence + fence,
		"1. Llama 4:\n   " + fence + "python\n   [read_file(path=\"a\")]\n   " + fence + "\n2. others",
		"The fence is open:\n" + fence + "\n<tool_call>read_file<arg_key>path</arg_key>\n",
		"Hermes takes\n\n    <tool_call>read_file<arg_key>path</arg_key></tool_call>\n\nas it is.",
		"> <tool_call>read_file<arg_key>path</arg_key></tool_call>\n\nThat is what it said.",
		"The log has \"<tool_call>read_file<arg_key>path</arg_key></tool_call>\" at its end.",
		`{"format": "glm", "example": "so: <tool_call>read_file<arg_key>path</arg_key></tool_call>"}`,
		"<think>I could write <tool_call>read_file<arg_key>path</arg_key></tool_call> now.</think>The file is empty.",
		"<tool_call>read_file<arg_key>path</arg_key><arg_value>a</arg_value></tool_call> was my thought.</think>\nThe file is empty.",
		`<|channel|>final<|message|>Earlier I sent to=functions.read_file {"path":"a"} and it worked.<|return|>`,
		"Earlier I sent to=functions.read_file {\"path\":\"a\"} and it worked.",
		"<tool_call> then read_file, such as: path: a.",
		"Write &lt;tool_call&gt; and read_file behind it.\nAction: read_file and more; then Action Input: {}",
		"The opener is <tool_call>, and a name such as read_file follows it, then <arg_key>.",
		"The tags <tool_call> and <invoke name=\"x\"> are known; the tools are read_file(path) and git_status().",
		"Run `read_file` with {\"path\": \"a\"}, then list_files(\"sub\").",
		"See [read_file(path)](docs/tools.md) and [1] read_file(path=\"a\").\n[read_file(path)](docs/tools.md)",
		"- [x] read_file(path=\"a\") is tested\n- [ ] list_files()",
		"<ul><li>read_file</li><li>list_files</li></ul><code>read_file</code>(path) <target name=\"read_file\"/>",
		"Usage: tool [ARGS-JSON]\n\nExample: tool list_files '{\"path\": \"a\"}'\ntool [ARGS] run list_files {}",
		"[ x read_file{}",
		"Usage: read_file <path>\nread_file <path> [<max_bytes>]",
		"| tool | arguments |\n| --- | --- |\n| read_file | {\"path\": ...} |\n| list_files | [path] |",
		"In F#: `x |> read_file`; in C++: std::vector<read_file> files; if a <b and read_file(c) ...",
		"I called read_file, it returned:\n" + fence + "\nTOOL_CALL and <tool_call>\n" + fence + "\nDone.",
		"func main() { data := read_file(args[0]) } // <https://example.com/read_file>",
		"<function=unknown_tool><parameter=path>a</parameter></function>\n\nis what Qwen writes.",
		"    <invoke name=\"unknown_tool\"><parameter name=\"path\">a</parameter></invoke>",
		"It ends with `<function=unknown_tool><parameter=path>a</parameter></function>`",
		`It said "<tool_call>{"name": "unknown_tool", "arguments": {}}</tool_call>`,
		`{"name": "unknown_tool", "arguments": {}}`,
		"<tool_call>unknown_tool\n<arg_key>path</arg_key>\n<arg_value>a",
		"",
	} {
		if r := Leaked(text, offered()); r != nil {
			t.Errorf("Leaked(%q) = %+v, want no call", text, r)
		}
	}
}

// TestLeaked_Linear reads a quarter of a megabyte of what is looked at most closely.
func TestLeaked_Linear(t *testing.T) {
	for _, unit := range []string{
		"<tool_call>", "[", "`", "`` ` ", "```\n", "read_file ", "`a` \"<tool_call>read_file</tool_call>\" [TOOL_CALLS]read_file{]} ", "<read_file", "<a>read_file{", "<tool_call>x y z read_file{", "[read_file(", "functions.read_file", "\"<tool_call>read_file<", "【", "{}", "x\n\n",
		"`\n\n<tool_call>", "<think>", "</think>", "    <tool_call>read_file<a>", "The file was read, and it has what was wanted. ",
	} {
		checkLinear(t, unit, func(text string) { Leaked(text, offered()) })
	}
}

package toolcall

// family is one way in which models write calls between marks: a row of the table.
//
// Marks stand for themselves, blanks before them aside; '"' is any quote or none.
// NAME is the tool, KEY and VALUE are those of one argument, and … is anything up to
// the next mark.
type family struct {
	source   string // of its calls
	call     string // how a call begins; without NAME, its JSON names the tool
	argument string // how one argument is written; empty when JSON holds all
	end      string // how a call ends; empty when its arguments show that
	// around are marks before and after one or more calls. Where the first of a
	// pair stands, the second must follow in a reply that was cut.
	around   [][2]string
	examples [2]string // each calls read_file with the path README.md
}

// noise is a token that MiniMax M3 puts before each mark.
const noise = "]<]minimax[>["

// namespace may stand before the name of each tag.
const namespace = "antml:"

var toolCallTags = [][2]string{{"<tool_call>", "</tool_call>"}, {"<seed:tool_call>", "</seed:tool_call>"}}

var invokeTags = [][2]string{
	{"<minimax:tool_call>", "</minimax:tool_call>"}, {"<function_calls>", "</function_calls>"}, {"<tool_call>", "</tool_call>"}, {"<tool_calls>", "</tool_calls>"},
	{"<" + namespace + "function_calls>", "</" + namespace + "function_calls>"},
}

// families has one row for each way. The first one that fits reads the call.
var families = []family{
	{
		source: dialectHermes,
		call:   "<tool_call>",
		end:    "</tool_call>",
		examples: [2]string{
			`<tool_call>{"name": "read_file", "arguments": {"path": "README.md"}}</tool_call>`,
			"<tool_call>\n{\"arguments\": {\"path\": \"README.md\"}, \"name\": \"read_file\"}\n</tool_call>",
		},
	},
	{
		source:   "glm",
		call:     "<tool_call>NAME",
		argument: "<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>",
		end:      "</tool_call>",
		examples: [2]string{
			"<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>README.md</arg_value>\n</tool_call>",
			"<tool_call>read_file<arg_key>path</arg_key><arg_value>README.md</arg_value></tool_call>",
		},
	},
	{
		source: "function_json",
		call:   `<function="NAME"…>`,
		end:    "</function>",
		around: toolCallTags,
		examples: [2]string{
			`<function=read_file>{"path": "README.md"}</function>`,
			"<tool_call><function=read_file>\n{\"path\": \"README.md\"}\n</function></tool_call>",
		},
	},
	{
		source:   dialectFunction,
		call:     `<function="NAME"…>`,
		argument: `<parameter="KEY"…>VALUE</parameter>`,
		end:      "</function>",
		around:   toolCallTags,
		examples: [2]string{
			"<tool_call>\n<function=read_file>\n<parameter=path>\nREADME.md\n</parameter>\n</function>\n</tool_call>",
			"<function=read_file><parameter=path>README.md</parameter></function></tool_call>",
		},
	},
	{
		source:   "invoke",
		call:     `<invoke name="NAME"…>`,
		argument: `<parameter name="KEY"…>VALUE</parameter>`,
		end:      "</invoke>",
		around:   invokeTags,
		examples: [2]string{
			"<minimax:tool_call>\n<invoke name=\"read_file\">\n<parameter name=\"path\">README.md</parameter>\n</invoke>\n</minimax:tool_call>",
			`<function_calls><invoke name="read_file"><parameter name="path">README.md</parameter></invoke></function_calls>`,
		},
	},
	{
		source:   "invoke_named",
		call:     `<invoke name="NAME"…>`,
		argument: "<KEY>VALUE</KEY>",
		end:      "</invoke>",
		around:   invokeTags,
		examples: [2]string{
			noise + "<tool_call>\n" + noise + `<invoke name="read_file">` + noise + "<path>README.md" + noise + "</path>" + noise + "</invoke>\n" + noise + "</tool_call>",
			"<invoke name=\"read_file\">\n<path>README.md</path>\n</invoke>",
		},
	},
	{
		source:   "dsml",
		call:     `<｜DSML｜invoke name="NAME"…>`,
		argument: `<｜DSML｜parameter name="KEY"…>VALUE</｜DSML｜parameter>`,
		end:      "</｜DSML｜invoke>",
		around:   [][2]string{{"<｜DSML｜function_calls>", "</｜DSML｜function_calls>"}, {"<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"}},
		examples: [2]string{
			"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read_file\">\n<｜DSML｜parameter name=\"path\" string=\"true\">README.md</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
			`<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="path" string="false">"README.md"</｜DSML｜parameter></｜DSML｜invoke>`,
		},
	},
	{
		source: "deepseek",
		call:   "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>",
		end:    "<｜tool▁call▁end｜>",
		around: deepseekMarks,
		examples: [2]string{
			`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "README.md"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
			`<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "README.md"}<｜tool▁call▁end｜>`,
		},
	},
	{
		source: "deepseek_function",
		call:   "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME",
		end:    "<｜tool▁call▁end｜>",
		around: deepseekMarks,
		examples: [2]string{
			"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{\"path\": \"README.md\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
			"<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n{\"path\": \"README.md\"}\n<｜tool▁call▁end｜>",
		},
	},
	{
		source: dialectSection,
		call:   "<|tool_call_begin|>NAME<|tool_call_argument_begin|>",
		end:    "<|tool_call_end|>",
		around: [][2]string{{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"}},
		examples: [2]string{
			`<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "README.md"}<|tool_call_end|><|tool_calls_section_end|>`,
			`<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "README.md"}<|tool_call_end|>`,
		},
	},
	{
		source: dialectList,
		call:   "[TOOL_CALLS]",
		examples: [2]string{
			`[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "README.md"}}]`,
			`[TOOL_CALLS][{"arguments": {"path": "README.md"}, "name": "read_file", "id": "a1b2c3d4e"}]`,
		},
	},
	{
		source: "mistral",
		call:   "[TOOL_CALLS]NAME…[ARGS]",
		examples: [2]string{
			`[TOOL_CALLS]read_file[ARGS]{"path": "README.md"}`,
			`[TOOL_CALLS] read_file [CALL_ID] a1b2c3d4e [ARGS] {"path": "README.md"}`,
		},
	},
	{
		source: "mistral_bare",
		call:   "[TOOL_CALLS]NAME",
		examples: [2]string{
			`[TOOL_CALLS]read_file{"path": "README.md"}`,
			"[TOOL_CALLS] read_file\n{\"path\": \"README.md\"}",
		},
	},
	{
		source: "harmony",
		call:   "to=NAME…<|message|>",
		end:    "<|call|>",
		around: harmonyMarks,
		examples: [2]string{
			`<|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "README.md"}<|call|>`,
			`<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{"path": "README.md"}<|call|>`,
		},
	},
	{
		source: "harmony_bare",
		call:   "to=NAME…",
		around: harmonyMarks,
		examples: [2]string{
			`commentary to=functions.read_file json{"path": "README.md"}`,
			`analysisWe need it.assistantcommentary to=functions.read_file json {"path": "README.md"}`,
		},
	},
	{
		source:   "pythonic",
		call:     "[NAME(",
		argument: "KEY=VALUE",
		end:      ")]",
		around:   [][2]string{{"<|python_start|>", "<|python_end|>"}, {"<|tool_call_start|>", "<|tool_call_end|>"}},
		examples: [2]string{
			`[read_file(path="README.md")]`,
			"<|python_start|>[read_file(path='README.md')]<|python_end|>",
		},
	},
}

var deepseekMarks = [][2]string{{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"}}

var harmonyMarks = [][2]string{{"<|channel|>", ""}, {"<|start|>", ""}, {"assistant", ""}, {"commentary", ""}, {"analysis", ""}}

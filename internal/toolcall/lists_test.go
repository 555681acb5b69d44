package toolcall

import "github.com/openagent-ci/openagent/internal/toolcall/loosejson"

// dialects has an example of each way to write calls besides the three forms.
func dialects() map[string]string {
	return map[string]string{
		dialectKeys:     `{"name": "read_file", "parameters": {"path": "README.md"}}`,
		dialectString:   `{"tool": "read_file", "arguments": "{\"path\": \"README.md\"}"}`,
		dialectHermes:   `<tool_call>{"name": "read_file", "arguments": {"path": "README.md"}}</tool_call>`,
		dialectFunction: "<tool_call><function=read_file><parameter=path>README.md</parameter></function></tool_call>",
		dialectEnvelope: `{"tool_calls": [{"type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"README.md\"}"}}]}`,
		dialectList:     `[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "README.md"}}]`,
		dialectSection:  `<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "README.md"}<|tool_call_end|>`,
	}
}

// repairs is the closed list of words that say how a call was repaired.
func repairs() []string {
	return []string{
		loosejson.RepairTrailingComma, loosejson.RepairMissingComma, loosejson.RepairQuotes, loosejson.RepairMissingQuote, loosejson.RepairBareKey, loosejson.RepairBareName,
		loosejson.RepairPython, loosejson.RepairComment, loosejson.RepairControl, loosejson.RepairBlank, loosejson.RepairEscape, loosejson.RepairCloser, repairEntities, loosejson.RepairPunctuation,
	}
}

// reasons is the closed list of words that say why a call was refused.
func reasons() []string {
	return []string{
		loosejson.ReasonCut, loosejson.ReasonSyntax, loosejson.ReasonDoubtful, loosejson.ReasonPath, reasonDuplicate, reasonName, reasonArguments, reasonNoArgs,
		loosejson.ReasonDepth, reasonTooMany, reasonMessage, loosejson.ReasonUnfinished,
	}
}

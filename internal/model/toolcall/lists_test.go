package toolcall

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
		RepairTrailingComma, RepairMissingComma, RepairQuotes, RepairMissingQuote, RepairBareKey, RepairBareName,
		RepairPython, RepairComment, RepairControl, RepairBlank, RepairEscape, RepairCloser, repairEntities, RepairPunctuation,
	}
}

// reasons is the closed list of words that say why a call was refused.
func reasons() []string {
	return []string{
		ReasonCut, ReasonSyntax, ReasonDoubtful, ReasonPath, reasonDuplicate, reasonName, reasonArguments, reasonNoArgs,
		ReasonDepth, reasonTooMany, reasonMessage, ReasonUnfinished,
	}
}

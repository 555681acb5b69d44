package toolcall

// dialects has an example of each way to write calls besides the three forms.
func dialects() map[string]string {
	all := map[string]string{
		dialectKeys:     `{"name": "read_file", "parameters": {"path": "README.md"}}`,
		dialectString:   `{"tool": "read_file", "arguments": "{\"path\": \"README.md\"}"}`,
		dialectEnvelope: `{"tool_calls": [{"type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"README.md\"}"}}]}`,
	}
	for _, f := range families() {
		all[f.source] = f.examples[0]
	}
	return all
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

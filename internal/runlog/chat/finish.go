package chat

import "strings"

// Finish reasons, as Chat Completions calls them.
const (
	FinishStop   = "stop"
	FinishLength = "length"
	FinishFilter = "content_filter"
)

// FinishReason returns what Chat Completions calls the reason that an endpoint
// gives for the end of a reply, and whether it is known. One that is not is
// returned as it is; it is no reason to take a text for the whole.
func FinishReason(said string) (reason string, known bool) {
	switch name := strings.ToLower(said); name {
	case "stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed":
		return FinishStop, true
	case "tool_calls", "function_call":
		return name, true
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return FinishLength, true
	case "content_filter", "safety", "sensitive", "recitation", "blocklist", "prohibited_content", "spii", "refusal":
		return FinishFilter, true
	}
	return said, false
}

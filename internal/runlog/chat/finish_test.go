package chat

import "testing"

func TestFinishReason(t *testing.T) {
	for said, want := range map[string]string{
		"Stop": FinishStop, "tool_calls": "tool_calls", "TOOL_CALLS": "tool_calls", "function_call": "function_call",
		"max_output_tokens": FinishLength, "Content_Filter": FinishFilter, "PROHIBITED_CONTENT": FinishFilter, "refusal": FinishFilter,
	} {
		if got, known := FinishReason(said); got != want || !known {
			t.Errorf("FinishReason(%q) = %q, %t, want %q", said, got, known, want)
		}
	}
	for _, said := range []string{"", "error", "Network_Error", "tool_use", " stop"} {
		if got, known := FinishReason(said); got != said || known {
			t.Errorf("FinishReason(%q) = %q, %t, want it as it is, unknown", said, got, known)
		}
	}
}

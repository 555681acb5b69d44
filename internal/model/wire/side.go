package wire

import (
	"bytes"
	"slices"
)

// sideWords are what the side requests of agents hold: those for a title, a summary,
// a choice of model.
var sideWords = [][]byte{
	[]byte("You are a title generator"),                                    // opencode
	[]byte("You are a context summarization agent"),                        // opencode
	[]byte("tasked with summarizing conversations"),                        // claude
	[]byte("Your task is to create a detailed summary of"),                 // claude
	[]byte(`"content":"quota"`),                                            // claude
	[]byte("CONTEXT CHECKPOINT COMPACTION"),                                // codex
	[]byte("a specialized Task Routing AI"),                                // gemini
	[]byte("content and structure of your immediately preceding response"), // gemini, qwen
	[]byte("unproductive loop"),                                            // gemini
	[]byte("an expert context compressor"),                                 // gemini
	[]byte("summary to preserve the agent's exact working context"),        // gemini
	[]byte("the component that summarizes a conversation"),                 // qwen
	[]byte("captures what this programming-assistant session is about"),    // qwen
}

// IsSide reports whether a request with that body is a side request: one beside the
// conversation in which it comes. It offers no tools, and either the conversation
// needs some there, or the request has words of those that agents are known to send.
func (r *Request) IsSide(body []byte, needsTools bool) bool {
	if len(r.Tools) > 0 {
		return false
	}
	contained := func(words []byte) bool { return bytes.Contains(body, words) }
	return needsTools || slices.ContainsFunc(sideWords, contained)
}

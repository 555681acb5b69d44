package transport

import (
	"bytes"
	"slices"

	"github.com/openagent-ci/openagent/internal/toolname"
	"github.com/openagent-ci/openagent/internal/wire"
)

// sideText is what a side request gets where the script does not say.
const sideText = "ok"

// sideWords are what the requests of agents hold that are beside the conversation:
// for a title, a summary, a choice of model. They offer no tools.
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

// isSide reports whether a program asks for something beside the conversation that
// the script plays, of which next is the next turn, nil for none: no tools are on
// offer, and the turn needs one or the request is one of those that are known.
func (q inquiry) isSide(next *turn) bool {
	if q.body == nil || len(q.asked.Tools) > 0 {
		return false
	}
	known := func(words []byte) bool { return bytes.Contains(q.body, words) }
	return next != nil && next.calls != nil || slices.ContainsFunc(sideWords, known)
}

// sideAnswer returns the answer to a side request: the script's text, or where the reply
// has to fit a schema, a value that does.
func (s *Script) sideAnswer(asked wire.Request) (answer, error) {
	text := s.side
	if len(asked.Schema) > 0 {
		text = string(toolname.Simplest(asked.Schema, text))
	}
	t := turn{text: &text}
	return t.answer(0, inquiry{asked: asked})
}

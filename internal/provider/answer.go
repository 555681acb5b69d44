package provider

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/openagent-ci/openagent/internal/chat"
)

// answer gathers the events of one response.
type answer struct {
	onDelta func(string)

	text    strings.Builder
	refused bool
	calls   callList
	finish  string
	usage   chat.Usage
	events  int
}

// event takes one event in and reports whether it was the last.
func (a *answer) event(data []byte) (done bool, failure *chat.Failure) {
	data = bytes.TrimSpace(data)
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return true, nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, &chat.Failure{
			Kind: chat.FailParse, Retryable: true, Message: "a part of the answer is not the JSON of a chat completion",
		}
	}
	if code, failed := c.errorStatus(); failed {
		return false, streamFailure(code)
	}
	a.events++
	a.take(&c)
	return false, nil
}

// streamFailure is an error that an endpoint reports inside an answer.
func streamFailure(code int) *chat.Failure {
	if code != 0 {
		return statusFailure(code)
	}
	return &chat.Failure{Kind: chat.FailServer, Retryable: true, Message: "the answer is an error of the provider"}
}

// take adds what a chunk holds. Only the first choice counts, as no more than
// one is ever asked for; the last usage wins, as some endpoints repeat it with
// every chunk.
func (a *answer) take(c *chunk) {
	if c.Usage != nil {
		a.usage = chat.Usage{
			Input: c.Usage.Input.n, Output: c.Usage.Output.n,
			Total: c.Usage.Total.n, CachedInput: c.Usage.Details.Cached.n,
		}
	}
	if len(c.Choices) == 0 {
		return
	}
	choice := &c.Choices[0]
	for _, m := range []*message{&choice.Delta, &choice.Message} {
		a.add(string(m.Content))
		a.refused = a.refused || m.Refusal != ""
		for i := range m.ToolCalls {
			a.calls.add(&m.ToolCalls[i])
		}
	}
	if choice.FinishReason != "" {
		a.finish = choice.FinishReason
	}
}

func (a *answer) add(text string) {
	if text == "" {
		return
	}
	a.text.WriteString(text)
	if a.onDelta != nil {
		a.onDelta(text)
	}
}

// judge says why what came is no reply; nil means that it is one. A reply has
// a finish reason, and text or calls. There are two exceptions: a model cut by
// its token limit may have spent it all on thoughts, and one that saw a tool's
// result (afterTool) may have nothing to add.
func (a *answer) judge(afterTool bool) *chat.Failure {
	empty := a.text.Len() == 0 && len(a.calls.all) == 0
	switch {
	case a.finish == "content_filter", a.refused && empty:
		return &chat.Failure{Kind: chat.FailRefused, Message: "the provider refused to answer"}
	case a.finish == "" && a.events == 0:
		return incomplete("the answer is no chat completion stream")
	case a.finish == "":
		return incomplete("the answer ended without a finish reason")
	case a.finish == "length", !empty, a.finish == "stop" && afterTool:
		return nil
	}
	return incomplete("the answer is empty")
}

func incomplete(message string) *chat.Failure {
	return &chat.Failure{Kind: chat.FailIncomplete, Retryable: true, Message: message}
}

// reply returns what has come in, whole or not.
func (a *answer) reply() chat.Reply {
	r := chat.Reply{Text: a.text.String(), FinishReason: a.finish, Usage: a.usage}
	for _, c := range a.calls.all {
		r.Calls = append(r.Calls, chat.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	return r
}

package agent

import (
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolcall"
)

// findCallsInText returns the calls in a reply's text, refused ones included, in
// the order of the text. The text goes back to the
// provider as what it is: text.
func (r *run) findCallsInText(reply chat.Reply) []call {
	res := toolcall.Parse(reply.Text, toolcall.Options{Tools: r.specs, FinishReason: reply.FinishReason})
	type placed struct {
		offset int
		call
	}
	var all []placed
	for _, c := range res.Calls {
		all = append(all, placed{c.Offset, call{
			name: c.Tool, source: c.Source, arguments: string(c.Arguments), use: c.Arguments,
			status: toolcall.Complete, repairs: c.Repairs, inText: true,
		}})
	}
	for _, f := range res.Refused {
		all = append(all, placed{f.Offset, call{
			name: f.Tool, source: f.Source, arguments: f.Text, status: f.Status, problem: f.Problem, inText: true,
		}})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.offset - b.offset })
	calls := make([]call, len(all))
	for i, p := range all {
		calls[i] = p.call
		calls[i].Call = tool.Call{ID: r.callID("", i), Step: r.stepNo, Index: i}
	}
	return calls
}

// textHint tells a model how to send a call again that was refused.
const textHint = `Nothing was done. Send the whole call again: TOOL_CALL: on a line of its own, below it one JSON object ` +
	`with "tool" (a string) and "arguments" (an object), strings in double quotes, quotes inside them as \", everything closed.`

// appendResult adds a result to the conversation, bound to its call: in a
// message of its own for a call by the API, else under a line that names call and tool, in
// the one message that answers this step's calls. That is a user's message,
// the one kind that every model reads when no tool is declared.
func (r *run) appendResult(h handled, result tool.Result, text string) {
	if !h.inText {
		r.shown = append(r.shown, shown{at: len(r.messages), text: text, result: result})
		r.messages = append(r.messages, &chat.Message{
			Role: chat.RoleTool, Content: text, ToolCallID: h.ID, ToolFailed: result.Status == tool.StatusError,
		})
		return
	}
	name := h.name
	if name == "" {
		name = "a tool that was not understood"
	}
	head := fmt.Sprintf("Result of call %s (%s):\n", h.ID, name)
	at := len(r.messages) - 1
	if last := r.messages[at]; last.Role == chat.RoleUser && last.ToolResult {
		last.Content += "\n\n" + head + text
	} else {
		r.messages = append(r.messages, &chat.Message{Role: chat.RoleUser, Content: head + text, ToolResult: true})
		at++
	}
	r.shown = append(r.shown, shown{at: at, head: head, text: text, result: result})
}

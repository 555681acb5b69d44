package agent

import (
	"slices"

	"github.com/openagent-ci/openagent/internal/model/toolcall"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/tool"
)

// findCallsInText returns the calls in a reply's text, refused ones included, in
// the order of the text. The text goes back to the
// provider as what it is: text. Where none is read, markup of a call is no answer.
func (r *run) findCallsInText(reply chat.Reply) []call {
	res := toolcall.Result{Leftover: reply.Text}
	if r.cfg.Calls != CallsNative {
		res = toolcall.Parse(reply.Text, toolcall.Options{Tools: r.specs, FinishReason: reply.FinishReason})
	}
	if len(res.Calls)+len(res.Refused) == 0 {
		res.Refused = toolcall.Leaked(reply.Text, r.specs)
	}
	r.said += "\n" + res.Leftover
	type placed struct {
		offset int
		call
	}
	var all []placed
	for _, c := range res.Calls {
		all = append(all, placed{c.Offset, call{
			Call: tool.Call{ID: c.ID},
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
		calls[i].Call = tool.Call{ID: r.callID(p.ID, i), Step: r.turn(), Index: i}
	}
	return calls
}

// textHint says to a model how to send a call again that was refused.
const textHint = `Nothing was done. Send the whole call again: TOOL_CALL: on a line of its own, below it one JSON object ` +
	`with "tool" (a string) and "arguments" (an object), strings in double quotes, quotes inside them as \", everything closed.`

// nativeHint does that where text is not read for calls.
const nativeHint = "Nothing was done. Make the call by the API, not in the text of the reply."

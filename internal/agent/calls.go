package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/model/toolcall"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/tool"
)

// call is one tool call of the present step.
type call struct {
	tool.Call
	name      string
	source    string          // how it was written: native, or a form of text
	arguments string          // as given; of a refused call in text, what was written
	use       json.RawMessage // the object that the arguments are, nil when refused
	status    toolcall.Status
	repairs   []string
	problem   string // what is wrong with the call's text
	inText    bool
}

// maxIDBytes bounds ids taken over from the provider.
const maxIDBytes = 256

// find returns the calls of a reply in order and appends the reply to the
// conversation. Its text is looked at for calls only when it has none by the API.
func (r *run) find(reply chat.Reply) []call {
	if len(reply.Calls) == 0 {
		var calls []call
		if !r.cfg.Final.isAnswer(reply.Text) {
			calls = r.findCallsInText(reply)
		}
		r.messages = append(r.messages, &chat.Message{Role: chat.RoleAssistant, Content: reply.Text, Extra: reply.Extra})
		return calls
	}
	r.said += "\n" + reply.Text
	calls := make([]call, len(reply.Calls))
	sent := make([]chat.ToolCall, len(reply.Calls))
	for i, n := range reply.Calls {
		id := r.callID(n.ID, i)
		calls[i] = call{Call: tool.Call{ID: id, Step: r.turn(), Index: i}, name: n.Name, source: toolcall.SourceNative, arguments: n.Arguments}
		calls[i].use, calls[i].status, calls[i].problem = toolcall.Native(n.Arguments, reply.FinishReason)
		sent[i] = chat.ToolCall{ID: id, Name: acceptedName(n.Name), Arguments: n.Arguments, Extra: n.Extra}
		if calls[i].status != toolcall.Complete || strings.TrimSpace(n.Arguments) == "" {
			sent[i].Arguments = "{}" // providers refuse a conversation that holds broken JSON
		}
	}
	r.messages = append(r.messages, &chat.Message{
		Role: chat.RoleAssistant, Content: reply.Text, ToolCalls: sent, Extra: reply.Extra,
	})
	return calls
}

// acceptedName returns the name of a call as endpoints accept it in a
// conversation: letters, digits, underscores and dashes. A name that a model
// made up must not cost the next request, which says so to the model.
func acceptedName(name string) string {
	return cmp.Or(tool.CleanName(name[:min(len(name), tool.MaxName)]), "_")
}

// callID keeps a provider's id if it can serve as one within the run.
func (r *run) callID(id string, index int) string {
	if id == "" || len(id) > maxIDBytes || r.ids[id] {
		id = fmt.Sprintf("call_%d_%d", r.turn(), index)
		for r.ids[id] {
			id += "_"
		}
	}
	r.ids[id] = true
	return id
}

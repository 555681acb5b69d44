package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/tool"
)

// call is one tool call of the present step.
type call struct {
	tool.Call
	name      string
	source    string // how it was written: native
	arguments string // as given
	status    callStatus
	problem   string // what is wrong with the arguments' text
}

type callStatus string

const (
	callComplete   callStatus = "complete"
	callIncomplete callStatus = "incomplete"
	callMalformed  callStatus = "malformed"
)

// maxIDBytes bounds ids taken over from the provider.
const maxIDBytes = 256

// find returns the calls of a reply in order and appends the reply to the
// conversation.
func (r *run) find(reply chat.Reply) []call {
	calls := make([]call, len(reply.Calls))
	sent := make([]chat.ToolCall, len(reply.Calls))
	for i, n := range reply.Calls {
		id := r.callID(n.ID, i)
		calls[i] = call{Call: tool.Call{ID: id, Step: r.stepNo, Index: i}, name: n.Name, source: "native", arguments: n.Arguments}
		calls[i].status, calls[i].problem = inspect(n.Arguments, reply.FinishReason)
		sent[i] = chat.ToolCall{ID: id, Name: acceptedName(n.Name), Arguments: n.Arguments}
		if calls[i].status != callComplete || strings.TrimSpace(n.Arguments) == "" {
			sent[i].Arguments = "{}" // providers refuse a conversation that holds broken JSON
		}
	}
	r.messages = append(r.messages, &chat.Message{Role: chat.RoleAssistant, Content: reply.Text, ToolCalls: sent})
	return calls
}

// maxName is the longest function name that endpoints accept.
const maxName = 64

// acceptedName returns the name of a call as endpoints accept it in a
// conversation: letters, digits, underscores and dashes. A name that a model
// made up must not cost the next request, which tells the model so.
func acceptedName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name[:min(len(name), maxName)])
	if name == "" {
		return "_"
	}
	return name
}

// callID keeps a provider's id if it can serve as one within the run.
func (r *run) callID(id string, index int) string {
	if id == "" || len(id) > maxIDBytes || r.ids[id] {
		id = fmt.Sprintf("call_%d_%d", r.stepNo, index)
		for r.ids[id] {
			id += "_"
		}
	}
	r.ids[id] = true
	return id
}

// inspect tells whether the arguments of a native call are one whole JSON
// value. No arguments mean none are needed, unless the reply was cut.
func inspect(arguments, finishReason string) (callStatus, string) {
	normal := finishReason == "stop" || finishReason == "tool_calls"
	if strings.TrimSpace(arguments) == "" {
		if normal {
			return callComplete, ""
		}
		return callIncomplete, "the reply ended before the arguments began"
	}
	dec := json.NewDecoder(strings.NewReader(arguments))
	var v json.RawMessage
	switch err := dec.Decode(&v); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return callIncomplete, "the arguments end in the middle of a value"
	case err != nil:
		return callMalformed, "the arguments are not JSON: " + err.Error()
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return callMalformed, "the arguments hold more than one JSON value"
	}
	return callComplete, ""
}

package agent

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/internal/tool/textedit"
)

//go:embed final.md
var finalInstructions string

// Final says what the text that ends a run has to be.
type Final struct {
	Schema *jsonschema.Schema
	// Attempts is how many more times the model is asked for a text that the schema
	// accepts.
	Attempts int
	// ByAPI sends the schema with each request, besides what the prompt says.
	ByAPI bool
}

// instructions returns the part of the system prompt about the answer, empty for any
// text.
func (f *Final) instructions() string {
	if f == nil {
		return ""
	}
	return "\n" + finalInstructions + strings.TrimSpace(f.Schema.Text()) + "\n"
}

// sent returns the schema as it goes with a request, nil where it does not.
func (f *Final) sent() []byte {
	if f == nil || !f.ByAPI {
		return nil
	}
	return []byte(f.Schema.Text())
}

// isAnswer reports whether a text is the answer that was asked for, so that nothing
// in it is a call.
func (f *Final) isAnswer(text string) bool {
	if f == nil {
		return false
	}
	_, faults := f.Schema.Read(text)
	return faults == nil
}

// finalReply ends the run by a reply without calls, unless the model is asked again
// for the answer that was wanted.
func (r *run) finalReply(reply chat.Reply) *ending {
	f := r.cfg.Final
	if f == nil {
		return &ending{reason: reasonOK}
	}
	value, faults := f.Schema.Read(reply.Text)
	if faults == nil {
		r.lastText = string(r.cfg.Redact.JSON([]byte(value))) // as text it might be no JSON any more
		return &ending{reason: reasonOK}
	}
	r.refusedAnswers++
	if r.refusedAnswers > f.Attempts {
		return &ending{reasonOutput, fmt.Sprintf("the model's answer was not what --output-schema asks for, %s; the last: %s", textedit.Times(int64(r.refusedAnswers)), faults[0])}
	}
	r.cfg.Log.Warn("the answer is not what --output-schema asks for; the model is asked again", "wrong", r.cfg.Redact.String(faults[0].String()))
	r.messages = append(r.messages, &chat.Message{Role: chat.RoleUser, Content: "That is not the answer yet:\n" + jsonschema.Words(faults) +
		"Reply with the whole answer again: one JSON value that the schema accepts, and nothing else."})
	return nil
}

// answering reports whether the model has just read what is wrong with its answer.
func (r *run) answering() bool {
	last := r.messages[len(r.messages)-1]
	return r.refusedAnswers > 0 && last.Role == chat.RoleUser && !last.ToolResult
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// Earlier is what was kept of a run that another one is to go on with. Whoever had
// the record in hand can have written it: nothing of it is believed.
type Earlier struct {
	Messages []record.Message
	Calls    []record.Call // of that run
	Requests int           // as in record.Conversation
	// TextCalls reports that the run also took calls from the model's text.
	TextCalls bool
	// SameEndpoint sends back what the endpoint gave beside texts and calls: it is the
	// same one.
	SameEndpoint bool
}

// Restored is a conversation that can go on: each call in it has an answer.
type Restored struct {
	conversation
	turns    []int // of each message
	ids      map[string]bool
	turn     int // the last one
	requests int
	// Interrupted are the calls, by name and id, whose end is not on record. The
	// model reads so, and none of them is run again.
	Interrupted []string
	// Waits reports that it is the model's turn, so that no prompt is needed.
	Waits bool
}

// Restore returns the conversation. Its error says which part of it cannot be.
func (e Earlier) Restore(tools *tool.Registry) (*Restored, error) {
	r := &Restored{ids: map[string]bool{}, requests: e.Requests}
	open := map[string]bool{} // calls of the last reply by the API that have no answer yet
	for at, m := range e.Messages {
		if err := follows(m, at, open); err != nil {
			return nil, fmt.Errorf("message %d: %w", at, err)
		}
		delete(open, m.ToolCallID)
		if m.Role == chat.RoleAssistant {
			for _, c := range m.Calls {
				if open[c.ID] || c.ID == "" {
					return nil, fmt.Errorf("message %d: it has calls without an id of their own", at)
				}
				open[c.ID], r.ids[c.ID] = true, true
			}
		}
		r.messages = append(r.messages, e.message(m))
		r.turns = append(r.turns, m.Step)
		r.turn = max(r.turn, m.Step)
	}
	calls := map[string]record.Call{}
	for _, c := range e.Calls {
		calls[c.ID] = c
	}
	r.findShown(e.Calls)
	last, asked := r.asked(e, tools)
	r.Waits = len(asked) > 0 || last < len(r.messages)-1
	r.answerOpen(asked, last, calls, tools)
	for _, c := range e.Calls {
		r.ids[c.ID] = true
	}
	for len(r.turns) < len(r.messages) {
		r.turns = append(r.turns, r.turn)
	}
	return r, nil
}

// follows checks a message by its place; open are the calls that wait for an answer.
func follows(m record.Message, at int, open map[string]bool) error {
	switch {
	case (m.Role == chat.RoleSystem) != (at == 0):
		return errors.New("the system prompt is the first message, and there is one")
	case m.Role == chat.RoleTool && !open[m.ToolCallID]:
		return errors.New("it answers a call that nobody made")
	case m.Role == chat.RoleTool, m.Role == chat.RoleSystem:
		return nil
	case m.Role != chat.RoleUser && m.Role != chat.RoleAssistant:
		return errors.New("its role is none of a conversation")
	case len(open) > 0:
		return fmt.Errorf("%d calls before it have no answer", len(open))
	case len(m.Calls) > 0 && m.Role != chat.RoleAssistant:
		return errors.New("only the model calls tools")
	}
	return nil
}

// message returns a message as it is sent again.
func (e Earlier) message(m record.Message) *chat.Message {
	extra := func(x *chat.Extra) chat.Extra {
		if x == nil || !e.SameEndpoint || m.Masked || !holds(x.Members, "{") || !holds(x.Before, "[") {
			return chat.Extra{}
		}
		return *x
	}
	out := &chat.Message{
		Role: m.Role, Content: m.Text, ToolCallID: m.ToolCallID, ToolFailed: m.ToolFailed, ToolResult: m.ToolResult, Extra: extra(m.Extra),
	}
	for _, c := range m.Calls {
		arguments := c.Arguments
		if !json.Valid([]byte(arguments)) {
			arguments = "{}" // as for a new call: providers refuse broken JSON
		}
		out.ToolCalls = append(out.ToolCalls, chat.ToolCall{ID: c.ID, Name: acceptedName(c.Tool), Arguments: arguments, Extra: extra(c.Extra)})
	}
	return out
}

// holds reports whether raw is nothing, or JSON that begins so.
func holds(raw json.RawMessage, begin string) bool {
	return len(raw) == 0 || strings.HasPrefix(string(raw), begin)
}

// findShown finds the results in the conversation that stand there whole, so that
// they can be shortened later. Calls and results are in one order.
func (r *Restored) findShown(calls []record.Call) {
	native := map[string]int{}
	for at, m := range r.messages {
		if m.Role == chat.RoleTool {
			native[m.ToolCallID] = at
		}
	}
	at := 0 // of the message in which results of calls in text are looked for
	for _, c := range calls {
		head := ""
		place, ok := native[c.ID]
		if !ok {
			head = resultHead(c.ID, c.Tool)
			for at < len(r.messages) && !(r.messages[at].ToolResult && strings.Contains(r.messages[at].Content, head)) {
				at++
			}
			if place = at; at == len(r.messages) {
				return // it ended after the last message
			}
		}
		toolResult, err := tool.DecodeResult(c.Result)
		if err == nil && strings.Contains(r.messages[place].Content, head+c.Rendered) {
			r.shown = append(r.shown, shown{at: place, head: head, text: c.Rendered, result: toolResult})
		}
	}
}

// asked returns the place of the model's last reply, -1 for none, and the calls in
// it.
func (r *Restored) asked(e Earlier, tools *tool.Registry) (last int, asked []call) {
	for last = len(r.messages) - 1; last >= 0 && r.messages[last].Role != chat.RoleAssistant; last-- {
	}
	if last < 0 || r.turns[last] == 0 { // said in an earlier run of the session
		return -1, nil
	}
	m := r.messages[last]
	for i, c := range m.ToolCalls {
		asked = append(asked, call{Call: tool.Call{ID: c.ID, Step: r.turns[last], Index: i}, name: e.Messages[last].Calls[i].Tool})
	}
	if len(m.ToolCalls) > 0 || !e.TextCalls {
		return last, asked
	}
	reader := &run{specs: specs(tools), ids: maps.Clone(r.ids), before: r.turns[last]}
	return last, reader.findCallsInText(chat.Reply{Text: m.Content, FinishReason: chat.FinishStop})
}

// answerOpen answers the calls that have no answer: from the record where they
// ended, else by telling that they were interrupted.
func (r *Restored) answerOpen(asked []call, last int, calls map[string]record.Call, tools *tool.Registry) {
	answered := map[string]bool{}
	for _, m := range r.messages[max(last, 0):] {
		answered[m.ToolCallID] = true
		for _, c := range asked {
			if c.inText && m.ToolResult && strings.Contains("\n\n"+m.Content, "\n\n"+resultHead(c.ID, c.name)) {
				answered[c.ID] = true
			}
		}
	}
	for _, c := range asked {
		if answered[c.ID] {
			continue
		}
		if done, ok := calls[c.ID]; ok {
			if toolResult, err := tool.DecodeResult(done.Result); err == nil {
				r.appendResult(c, toolResult, done.Rendered)
				continue
			}
		}
		t, _ := tools.Lookup(c.name)
		t.Spec.Name = c.name
		toolResult := result.Project(t, tool.Failed(interrupted(len(r.Interrupted) == 0)))
		r.appendResult(c, toolResult, result.Render(t, toolResult))
		r.Interrupted = append(r.Interrupted, fmt.Sprintf("%s (%s)", c.name, c.ID))
	}
}

// interrupted is what the model reads of a call without an end. Calls run one
// after the other, so only the first can have begun.
func interrupted(first bool) *tool.Error {
	if !first {
		return tool.NewError(tool.KindInterrupted, "the run was interrupted before this call began: it was not done")
	}
	return tool.NewError(tool.KindInterrupted, "the run was interrupted before this call ended: it may have been done in whole, in part or not at all, and it was not run again")
}

// turn is the number of the present step among those of the whole conversation.
func (r *run) turn() int { return r.before + r.stepNo }

// turnOf is the turn that a message belongs to.
func (r *run) turnOf(at int) int {
	if c := r.cfg.Resume; c != nil && at < len(c.turns) {
		return c.turns[at]
	}
	if r.stepNo == 0 {
		return 0 // the prompt
	}
	return r.turn()
}

// goOn puts the first request together from the conversation of an earlier run:
// this run's system prompt takes the place of that one's, and the prompt follows.
func (r *run) goOn(ctx context.Context) *ending {
	r.conversation = r.cfg.Resume.conversation
	if first := r.messages[0]; !strings.HasPrefix(first.Content, r.system) { // it may say more about the session
		r.messages[0] = first.WithContent(r.system)
	}
	if r.cfg.Prompt != "" {
		r.messages = append(r.messages, &chat.Message{Role: chat.RoleUser, Content: r.cfg.Prompt})
	}
	if r.cfg.History == nil {
		return nil
	}
	if _, err := r.cfg.History.Begin(ctx, r.cfg.Prompt, r.summarise); err != nil {
		return r.historyEnding(ctx, err)
	}
	return nil
}

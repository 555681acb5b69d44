package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// maxCalls bounds the tool calls of one answer.
const maxCalls = 1024

// answer gathers the events of one response.
type answer struct {
	api     *dialect
	onDelta func(string)

	text    strings.Builder
	joiner  joiner // of text
	refused bool
	refusal strings.Builder // the model's words for it
	halves  joiner          // of refusal
	calls   []*callParts
	legacy  *callParts // in the spelling of the API's first years, nil for none
	lost    bool       // there were more calls
	stray   bool       // nobody can say whose some arguments are
	// These report what came as deltas of a chat completion.
	textCame, refusalCame, callsCame, extraCame bool

	finish string
	usage  chat.Usage
	events int
	said   *reported // the error that ended the answer, nil for none

	// extra and before are what the message has beside what is known, as are
	// those of each call; left bounds them all together.
	extra            any
	before, thoughts []json.RawMessage // thoughts are those that the next item follows
	left             budget
}

// Bounds of what is kept of a message beside what is known. Beyond them nothing
// of it is: a part would be refused, or misread.
const (
	maxExtraBytes  = 256 << 10
	maxExtraValues = 4 << 10
)

func newAnswer(api *dialect, onDelta func(string)) *answer {
	return &answer{api: api, onDelta: onDelta, left: budget{maxExtraBytes, maxExtraValues}}
}

// callParts is a tool call while its pieces come in.
type callParts struct {
	// index and item tell to which call a piece belongs; item is an id that
	// the Responses API has beside the call's own.
	index     *int
	item      string
	id, name  string
	arguments strings.Builder
	joiner    joiner  // of arguments
	nesting   nesting // of the arguments, where they come in pieces
	// whole reports that no more pieces come.
	whole bool
	// extra and before are as those of an answer.
	extra  any
	before []json.RawMessage
}

// event takes one event in and reports whether it was the last.
func (a *answer) event(data []byte) (done bool, failure *chat.Failure) {
	data = bytes.TrimSpace(data)
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return true, nil
	}
	if len(data) == 0 {
		return false, nil // it keeps the connection open
	}
	done, failure = a.api.read(a, data)
	if failure == nil && a.lost {
		failure = &chat.Failure{Kind: chat.FailPayloadTooLarge, Message: fmt.Sprintf("the answer has more than %d tool calls", maxCalls)}
	}
	return done, failure
}

// newCall adds a call. Beyond the bound the call and with it the whole answer
// is refused: each piece is compared with all calls, so the work must be
// bounded, and no model means to make so many.
func (a *answer) newCall(index *int, item string) *callParts {
	c := &callParts{index: index, item: item}
	a.addWhole(c)
	return c
}

func (a *answer) addWhole(c *callParts) {
	if len(a.calls) == maxCalls {
		a.lost = true
		return
	}
	a.calls = append(a.calls, c)
}

// unreadable is the failure of an event that is no JSON of its API.
func (a *answer) unreadable() *chat.Failure {
	return &chat.Failure{
		Kind: chat.FailParse, Retryable: true, Message: "a part of the answer is not the JSON of a " + a.api.reply,
	}
}

// add adds a piece of the text.
func (a *answer) add(piece text) { a.addText(a.joiner.add(piece)) }

func (a *answer) addText(text string) {
	if text == "" {
		return
	}
	a.text.WriteString(text)
	if a.onDelta != nil {
		a.onDelta(text)
	}
}

// refuse adds a piece of what the model says in place of an answer.
func (a *answer) refuse(piece text) {
	a.refused = true
	a.refusal.WriteString(a.halves.add(piece))
}

// check says why what came is no reply; nil means that it is one. A reply has
// a finish reason, which is a known one if there are no calls, and text or
// calls. There are two exceptions: a model cut by its token limit may have spent
// it all on thoughts, and one that saw a tool's result (afterTool) may have
// nothing to add.
func (a *answer) check(afterTool bool) *chat.Failure {
	empty := a.text.Len() == 0 && len(a.calls) == 0
	reason, known := chat.FinishReason(a.finish)
	switch {
	case reason == chat.FinishFilter, a.refused && empty:
		a.sayRefusal()
		return &chat.Failure{Kind: chat.FailRefused, Message: "the provider refused to answer"}
	case a.finish == "" && a.events == 0:
		return incomplete("the answer is no " + a.api.reply + " stream")
	case a.finish == "":
		return incomplete("the answer ended without a finish reason")
	case a.holdsStray():
		return stray()
	case !known && len(a.calls) == 0:
		return a.endedEarly()
	case reason == chat.FinishLength, !empty, reason == chat.FinishStop && afterTool:
		return nil
	}
	return incomplete("the answer is empty")
}

// holdsStray reports whether arguments came that belong to no call, next to a call
// that has none: it must not run without them.
func (a *answer) holdsStray() bool {
	return slices.ContainsFunc(a.calls, func(c *callParts) bool { return c.id == "" && c.name == "" && !c.bare() }) &&
		slices.ContainsFunc(a.calls, func(c *callParts) bool { return c.name != "" && c.bare() })
}

func stray() *chat.Failure {
	return incomplete("the answer does not show to which tool call its arguments belong")
}

// endedEarly is the failure of an answer that the provider ended for a reason
// which is none to take the part for the whole.
func (a *answer) endedEarly() *chat.Failure {
	a.sayReason()
	return incomplete("the provider ended the answer early")
}

// sayRefusal passes on why the answer was refused: in the model's words, or else
// by the name that the endpoint has for it.
func (a *answer) sayRefusal() {
	if words := a.refusal.String() + a.halves.rest(); words != "" {
		a.said = &reported{message: words}
	} else if a.finish != chat.FinishFilter {
		a.sayReason()
	}
}

// sayReason passes on the endpoint's reason for the end of the answer.
func (a *answer) sayReason() {
	if a.finish != "" {
		a.said = &reported{message: "finish reason " + a.finish}
	}
}

func incomplete(message string) *chat.Failure {
	return &chat.Failure{Kind: chat.FailIncomplete, Retryable: true, Message: message}
}

// reply returns what has come in, whole or not.
func (a *answer) reply() chat.Reply {
	reason, _ := chat.FinishReason(a.finish)
	r := chat.Reply{Text: a.text.String(), FinishReason: reason, Usage: a.usage, Extra: a.extraOf(a.extra, a.before), LeftOut: a.left.spent()}
	for _, c := range a.calls {
		r.Calls = append(r.Calls, chat.ToolCall{
			ID: c.id, Name: c.name, Arguments: c.text(), Extra: a.extraOf(c.extra, c.before),
		})
	}
	return r
}

func (a *answer) extraOf(members any, before []json.RawMessage) (e chat.Extra) {
	if members != nil && !a.left.spent() {
		e.Members = spelled(members)
	}
	if before != nil && !a.left.spent() {
		e.Before = spelled(before)
	}
	return e
}

package provider

import (
	"encoding/json"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/tidwall/gjson"
)

// outputItem is what is read of one item of the output.
type outputItem struct {
	kind, id, callID, name string
	arguments              text
	content                gjson.Result // of a message; other items have content of other shapes
	// thought is an item that goes back as it came. Of others, rest is an object of
	// the members that are not known, "" for none.
	thought json.RawMessage
	rest    string
}

func itemOf(v gjson.Result) *outputItem {
	i := &outputItem{
		kind: v.Get("type").String(), id: v.Get("id").String(), callID: textOf(v.Get("call_id")).string, name: textOf(v.Get("name")).string,
		arguments: argumentsOf(v.Get("arguments")), content: v.Get("content"),
	}
	switch i.kind {
	case itemReasoning:
		i.thought = json.RawMessage(v.Raw)
	case itemMessage:
		i.rest = beyond(v, "type", "id", "status", "role", "content")
	case itemCall:
		i.rest = beyond(v, "type", "id", "status", "call_id", "name", "arguments")
	}
	return i
}

// Types of events and items that are read; all others say nothing that a reply
// holds.
const (
	itemCall      = "function_call"
	itemMessage   = "message"
	itemReasoning = "reasoning"

	eventText      = "response.output_text.delta"
	eventRefusal   = "response.refusal.delta"
	eventItem      = "response.output_item.added"
	eventItemDone  = "response.output_item.done"
	eventArguments = "response.function_call_arguments.delta"
	eventWhole     = "response.function_call_arguments.done"
)

// endOf returns how a response ended and the response, "" for an event that is
// not the end of one. The response's own word counts more than the event's:
// some endpoints complete whatever happened. A body that is not streamed is a bare
// response.
func endOf(e gjson.Result) (status string, r gjson.Result) {
	kind := e.Get("type").String()
	named := strings.TrimPrefix(kind, "response.")
	switch r = e.Get("response"); {
	case kind == "":
		r = e
	case !isEnd(named):
		return "", r
	}
	if own := r.Get("status").String(); isEnd(own) {
		return own, r
	}
	return named, r
}

func isEnd(name string) bool {
	return name == "completed" || name == "incomplete" || name == "failed"
}

func requestRefused() chat.Failure {
	return chat.Failure{Kind: chat.FailClient, Message: "the provider could not serve this request"}
}

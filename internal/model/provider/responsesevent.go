package provider

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// responseEvent is what is read of one event of the Responses API. A body that
// is not streamed is a bare response.
type responseEvent struct {
	Type        string     `json:"type"`
	OutputIndex *int       `json:"output_index"`
	ItemID      string     `json:"item_id"`
	Delta       text       `json:"delta"`
	Arguments   arguments  `json:"arguments"`
	Item        outputItem `json:"item"`
	Response    *response  `json:"response"`
	response
}

type response struct {
	Status     string          `json:"status"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []outputItem   `json:"output"`
	Usage  *responseUsage `json:"usage"`
}

type outputItem struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	CallID    string    `json:"call_id"`
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
	Content   parts     `json:"content"`
	// thought is an item that goes back as it came. Of others, rest is an object of
	// the members that are not known, "" for none.
	thought json.RawMessage
	rest    string
}

// UnmarshalJSON keeps thoughts, and what says more than is known.
func (i *outputItem) UnmarshalJSON(b []byte) error {
	type plain outputItem
	if err := json.Unmarshal(b, (*plain)(i)); err != nil {
		return err
	}
	switch i.Type {
	case itemReasoning:
		i.thought = bytes.Clone(b)
	case itemMessage:
		i.rest = beyond(b, "type", "id", "status", "role", "content")
	case itemCall:
		i.rest = beyond(b, "type", "id", "status", "call_id", "name", "arguments")
	}
	return nil
}

// parts is the content of a message; other items have content of other shapes.
type parts []struct {
	Text    text `json:"text"`
	Refusal text `json:"refusal"`
}

// UnmarshalJSON takes a list of parts; any other value is no content.
func (p *parts) UnmarshalJSON(b []byte) error {
	type plain parts
	if err := json.Unmarshal(b, (*plain)(p)); err != nil {
		*p = nil
	}
	return nil
}

type responseUsage struct {
	Input   count `json:"input_tokens"`
	Output  count `json:"output_tokens"`
	Total   count `json:"total_tokens"`
	Details struct {
		Cached count `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails outputDetails `json:"output_tokens_details"`
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

// end returns how a response ended and the response, "" for an event that is
// not the end of one. The response's own word counts more than the event's:
// some endpoints complete whatever happened.
func (e *responseEvent) end() (status string, r *response) {
	named := strings.TrimPrefix(e.Type, "response.")
	switch r = e.Response; {
	case e.Type == "":
		r = &e.response
	case !isEnd(named):
		return "", nil
	case r == nil:
		r = &response{}
	}
	if isEnd(r.Status) {
		return r.Status, r
	}
	return named, r
}

func isEnd(name string) bool {
	return name == "completed" || name == "incomplete" || name == "failed"
}

// mayBeError reports whether an event is to be looked at as an error: it has a
// member for one, or is no event of this API.
func (e *responseEvent) mayBeError() bool {
	return hasValue(e.response.Error) || !strings.HasPrefix(e.Type, "response.")
}

func requestRefused() chat.Failure {
	return chat.Failure{Kind: chat.FailClient, Message: "the provider could not serve this request"}
}

package transport

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// The parts of the Responses API that a script sends.
type (
	responseEvent struct {
		Type         string    `json:"type"`
		Sequence     int       `json:"sequence_number"`
		Response     *response `json:"response,omitempty"`
		OutputIndex  *int      `json:"output_index,omitempty"`
		ItemID       string    `json:"item_id,omitempty"`
		ContentIndex *int      `json:"content_index,omitempty"`
		Item         any       `json:"item,omitempty"`
		Part         *textPart `json:"part,omitempty"`
		Delta        string    `json:"delta,omitempty"`
		Text         *string   `json:"text,omitempty"`
		Arguments    *string   `json:"arguments,omitempty"`
	}
	response struct {
		ID         string         `json:"id"`
		Object     string         `json:"object"`
		Created    int            `json:"created_at"`
		Status     string         `json:"status"`
		Error      *struct{}      `json:"error"`
		Incomplete *incomplete    `json:"incomplete_details"`
		Model      string         `json:"model"`
		Output     []any          `json:"output"`
		Parallel   bool           `json:"parallel_tool_calls"`
		ToolChoice string         `json:"tool_choice"`
		Tools      []struct{}     `json:"tools"`
		Usage      *responseUsage `json:"usage"`
	}
	incomplete struct {
		Reason string `json:"reason"`
	}
	messageItem struct {
		Type    string     `json:"type"`
		ID      string     `json:"id"`
		Status  string     `json:"status"`
		Role    string     `json:"role"`
		Content []textPart `json:"content"`
	}
	textPart struct {
		Type        string     `json:"type"`
		Text        string     `json:"text"`
		Annotations []struct{} `json:"annotations"`
	}
	callItem struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Status    string `json:"status"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	responseUsage struct {
		Input   *int64  `json:"input_tokens,omitempty"`
		Details *cached `json:"input_tokens_details,omitempty"`
		Output  *int64  `json:"output_tokens,omitempty"`
		Total   *int64  `json:"total_tokens,omitempty"`
	}
)

// The states of a response and its items; a response ends with an event of the
// same name.
const (
	inProgress = "in_progress"
	completed  = "completed"
)

// responsesStream returns a reply as the event stream of the Responses API.
func (t *turn) responsesStream(n int) []byte { return t.respond(n).out }

// responsesWhole returns a reply as a response.
func (t *turn) responsesWhole(n int) []byte { return jsontext.MustMarshal(t.respond(n).response) }

func (t *turn) respond(n int) *responseEvents {
	e := &responseEvents{n: n}
	e.become(inProgress, nil, nil)
	e.event("created", responseEvent{Response: e.response})
	if t.text != nil {
		e.message(*t.text)
	}
	for i, c := range t.calls {
		e.call(i, c)
	}
	status, why := t.outcome()
	e.become(status, why, t.usage)
	// A stream without a terminal event is that of a response still on its way.
	if status != inProgress {
		e.event(status, responseEvent{Response: e.response})
	}
	return e
}

// outcome returns what the API calls the way in which a turn finishes. A text
// that ends for a reason which nobody knows is incomplete for that reason.
func (t *turn) outcome() (status string, why *incomplete) {
	said := t.finishReason()
	switch reason, known := chat.FinishReason(said); {
	case said == "":
		return inProgress, nil
	case reason == chat.FinishLength:
		return "incomplete", &incomplete{"max_output_tokens"}
	case reason == chat.FinishFilter, !known && len(t.calls) == 0:
		return "incomplete", &incomplete{said}
	}
	return completed, nil
}

// responseEvents writes a response as server-sent events.
type responseEvents struct {
	n        int // number of the turn
	output   []any
	response *response // as it is so far
	sent     int
	out      []byte
}

func (e *responseEvents) event(name string, v responseEvent) {
	v.Type, v.Sequence = "response."+name, e.sent
	e.sent++
	e.out = fmt.Appendf(e.out, "event: %s\ndata: %s\n\n", v.Type, jsontext.MustMarshal(v))
}

// become gives the response a status and the output that was sent so far.
func (e *responseEvents) become(status string, why *incomplete, u *usage) {
	e.response = &response{
		ID: fmt.Sprintf("resp_script_%d", e.n), Object: "response", Status: status, Incomplete: why, Model: modelName,
		Output: append([]any{}, e.output...), Parallel: true, ToolChoice: "auto", Tools: []struct{}{},
	}
	if u != nil {
		u = u.whole()
		e.response.Usage = &responseUsage{Input: u.Input, Details: u.Details, Output: u.Output, Total: u.Total}
	}
}

// message sends text as an item of its own, in pieces.
func (e *responseEvents) message(text string) {
	content := 0
	item := messageItem{
		Type: "message", ID: fmt.Sprintf("msg_%d", e.n), Status: inProgress, Role: "assistant", Content: []textPart{},
	}
	part := textPart{Type: "output_text", Annotations: []struct{}{}}
	at := e.begin(item.ID, item)
	at.ContentIndex = &content
	at.Part = &part
	e.event("content_part.added", at)
	at.Part = nil
	for _, piece := range pieces(text, textPieces, textPiece) {
		v := at
		v.Delta = piece
		e.event("output_text.delta", v)
	}
	part.Text = text
	v := at
	v.Text = &text
	e.event("output_text.done", v)
	at.Part = &part
	e.event("content_part.done", at)
	item.Status, item.Content = completed, []textPart{part}
	e.end(item)
}

// call sends a call as an item of its own, its arguments in pieces. Its id is
// the one that it has in a chat completion.
func (e *responseEvents) call(i int, c call) {
	item := callItem{
		Type: "function_call", ID: fmt.Sprintf("fc_%d_%d", e.n, i), Status: inProgress, CallID: callID(e.n, i), Name: c.tool,
	}
	at := e.begin(item.ID, item)
	for _, piece := range pieces(c.arguments, argPieces, argPiece) {
		v := at
		v.Delta = piece
		e.event("function_call_arguments.delta", v)
	}
	at.Arguments = &c.arguments
	e.event("function_call_arguments.done", at)
	item.Status, item.Arguments = completed, c.arguments
	e.end(item)
}

// begin announces the next item and returns the place that its events name.
func (e *responseEvents) begin(id string, item any) responseEvent {
	index := len(e.output)
	e.event("output_item.added", responseEvent{OutputIndex: &index, Item: item})
	return responseEvent{OutputIndex: &index, ItemID: id}
}

// end sends a whole item.
func (e *responseEvents) end(item any) {
	index := len(e.output)
	e.output = append(e.output, item)
	e.event("output_item.done", responseEvent{OutputIndex: &index, Item: item})
}

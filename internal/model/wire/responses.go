package wire

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// responses is OpenAI's newer API.
var responses = &Wire{
	Name: "responses", Path: "/v1/responses",
	find:  below(map[string]Ask{"/responses": Answer}),
	parse: parseResponses, list: "input", alone: '"', last: lastItem,
	results: responsesResults, answer: readResponses,
	stream:  func(r Reply) ([]byte, error) { return respond(r).out, nil },
	whole:   func(r Reply) ([]byte, error) { return jsontext.MustMarshal(respond(r).response), nil },
	Failure: openAIFailure,
}

// The parts of the Responses API that are written.
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
		Input   *int64         `json:"input_tokens,omitempty"`
		Details cachedCount    `json:"input_tokens_details,omitzero"`
		Output  *int64         `json:"output_tokens,omitempty"`
		Spent   reasoningCount `json:"output_tokens_details,omitzero"`
		Total   *int64         `json:"total_tokens,omitempty"`
	}
)

// The states of a response and its items; a response ends with an event of the
// same name.
const (
	inProgress = "in_progress"
	completed  = "completed"
)

func respond(r Reply) *responseEvents {
	e := &responseEvents{reply: &r}
	e.become(inProgress, nil, nil)
	e.event("created", responseEvent{Response: e.response})
	if r.Text != nil {
		e.message(*r.Text)
	}
	for i, c := range r.Calls {
		e.call(i, c)
	}
	status, why := r.outcome()
	e.become(status, why, r.Usage)
	// A stream without a terminal event is that of a response still on its way.
	if status != inProgress {
		e.event(status, responseEvent{Response: e.response})
	}
	return e
}

// outcome returns what the API calls the way in which a reply ends. A text
// that ends for a reason which nobody knows is incomplete for that reason.
func (r *Reply) outcome() (status string, why *incomplete) {
	said := r.finish()
	switch reason, known := chat.FinishReason(said); {
	case said == "":
		return inProgress, nil
	case reason == chat.FinishLength:
		return "incomplete", &incomplete{"max_output_tokens"}
	case reason == chat.FinishFilter, !known && len(r.Calls) == 0:
		return "incomplete", &incomplete{said}
	}
	return completed, nil
}

// responseEvents writes a response as server-sent events.
type responseEvents struct {
	reply    *Reply
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
func (e *responseEvents) become(status string, why *incomplete, u *Usage) {
	e.response = &response{
		ID: fmt.Sprintf("resp_script_%d", e.reply.Number), Object: "response", Status: status, Incomplete: why, Model: e.reply.Model,
		Output: append([]any{}, e.output...), Parallel: true, ToolChoice: "auto", Tools: []struct{}{},
	}
	if u != nil {
		all := u.whole()
		e.response.Usage = &responseUsage{Input: all.Input, Details: cachedCount{u.Cached}, Output: all.Output, Spent: reasoningCount{u.Reasoning}, Total: all.Total}
	}
}

// message sends text as an item of its own, in pieces.
func (e *responseEvents) message(text string) {
	content := 0
	item := messageItem{
		Type: "message", ID: fmt.Sprintf("msg_%d", e.reply.Number), Status: inProgress, Role: "assistant", Content: []textPart{},
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
func (e *responseEvents) call(i int, c Call) {
	item := callItem{
		Type: "function_call", ID: fmt.Sprintf("fc_%d_%d", e.reply.Number, i), Status: inProgress, CallID: e.reply.callID(i), Name: c.Tool,
	}
	at := e.begin(item.ID, item)
	for _, piece := range pieces(c.Arguments, argPieces, argPiece) {
		v := at
		v.Delta = piece
		e.event("function_call_arguments.delta", v)
	}
	at.Arguments = &c.Arguments
	e.event("function_call_arguments.done", at)
	item.Status, item.Arguments = completed, c.Arguments
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

// parseResponses reads a request.
func parseResponses(r *Request, _ *url.URL, body []byte) error {
	var request struct {
		Model  string       `json:"model"`
		Stream bool         `json:"stream"`
		Tools  []openAITool `json:"tools"`
		Text   struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	r.Model, r.Stream, r.Schema = request.Model, request.Stream, request.Text.Format.Schema
	for _, t := range request.Tools {
		r.offer(t.Name, t.Parameters)
	}
	return nil
}

// lastItem reads the last item of the input; a text alone is what a user says.
func lastItem(body []byte) (map[string]any, error) {
	input := member(body, "input")
	var text string
	if json.Unmarshal(input, &text) == nil {
		return map[string]any{"role": "user", "content": text}, nil
	}
	m, err := lastOf(items(input))
	if m["type"] == "function_call_output" {
		m["role"], m["tool_call_id"], m["content"] = "tool", m["call_id"], m["output"]
	}
	return m, err
}

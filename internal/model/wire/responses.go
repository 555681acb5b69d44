package wire

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// responses is OpenAI's newer API.
var responses = &Wire{
	Name: "responses", Path: "/v1/responses",
	parse: parseResponses, list: "input", alone: '"', last: lastItem,
	results: responsesResults, answer: readResponses,
	counts:  counts{{"input_tokens"}, {"output_tokens"}, {"total_tokens"}, {"input_tokens_details.cached_tokens"}},
	stream:  func(r Reply) ([]byte, error) { stream, _ := respond(r); return stream, nil },
	whole:   func(r Reply) ([]byte, error) { _, whole := respond(r); return whole, nil },
	Failure: openAIFailure,
}

// The states of a response and its items; a response ends with an event of the
// same name.
const (
	inProgress = "in_progress"
	completed  = "completed"
)

// respond returns a reply as the events of a response and as the response that they end with.
func respond(r Reply) (stream []byte, whole json.RawMessage) {
	e := &responseEvents{reply: &r, output: []any{}}
	e.event("created", "response", r.response(inProgress, nil, e.output, nil))
	if r.Text != nil {
		e.message(*r.Text)
	}
	for i, c := range r.Calls {
		e.call(i, c)
	}
	status, why := r.outcome()
	whole = r.response(status, why, e.output, r.Usage)
	// A stream without a terminal event is that of a response still on its way.
	if status != inProgress {
		e.event(status, "response", whole)
	}
	return e.out, whole
}

// outcome returns what the API calls the way in which a reply ends. A text
// that ends for a reason which nobody knows is incomplete for that reason.
func (r *Reply) outcome() (status string, why json.RawMessage) {
	said := r.finish()
	switch reason, known := chat.FinishReason(said); {
	case said == "":
		return inProgress, nil
	case reason == chat.FinishLength:
		return "incomplete", Object("reason", "max_output_tokens")
	case reason == chat.FinishFilter, !known && len(r.Calls) == 0:
		return "incomplete", Object("reason", said)
	}
	return completed, nil
}

// response returns the response with the output that was sent so far.
func (r *Reply) response(status string, why json.RawMessage, output []any, u *Usage) json.RawMessage {
	var usage json.RawMessage
	if u != nil {
		all := u.whole()
		usage = Object("input_tokens?", all.Input, "input_tokens_details?", detail("cached_tokens", u.Cached),
			"output_tokens?", all.Output, "output_tokens_details?", detail("reasoning_tokens", u.Reasoning), "total_tokens?", all.Total)
	}
	return Object("id", fmt.Sprintf("resp_script_%d", r.Number), "object", "response", "created_at", 0, "status", status,
		"error", nil, "incomplete_details", why, "model", r.Model, "output", output,
		"parallel_tool_calls", true, "tool_choice", "auto", "tools", []any{}, "usage", usage)
}

// responseEvents writes a response as server-sent events.
type responseEvents struct {
	reply  *Reply
	output []any
	sent   int
	out    []byte
}

func (e *responseEvents) event(name string, members ...any) {
	name = "response." + name
	e.out = fmt.Appendf(e.out, "event: %s\ndata: %s\n\n", name, Object(append([]any{"type", name, "sequence_number", e.sent}, members...)...))
	e.sent++
}

// message sends text as an item of its own, in pieces.
func (e *responseEvents) message(text string) {
	id := fmt.Sprintf("msg_%d", e.reply.Number)
	item := func(status string, content ...any) json.RawMessage {
		return Object("type", "message", "id", id, "status", status, "role", "assistant", "content", append([]any{}, content...))
	}
	part := func(text string) json.RawMessage {
		return Object("type", "output_text", "text", text, "annotations", []any{})
	}
	event := func(name, member string, value any) {
		e.event(name, "output_index", len(e.output), "item_id", id, "content_index", 0, member, value)
	}
	e.event("output_item.added", "output_index", len(e.output), "item", item(inProgress))
	event("content_part.added", "part", part(""))
	for _, piece := range pieces(text, textPieces, textPiece) {
		event("output_text.delta", "delta", piece)
	}
	event("output_text.done", "text", text)
	event("content_part.done", "part", part(text))
	e.end(item(completed, part(text)))
}

// call sends a call as an item of its own, its arguments in pieces. Its id is
// the one that it has in a chat completion.
func (e *responseEvents) call(i int, c Call) {
	id := fmt.Sprintf("fc_%d_%d", e.reply.Number, i)
	item := func(status, arguments string) json.RawMessage {
		return Object("type", "function_call", "id", id, "status", status, "call_id", e.reply.callID(i), "name", c.Tool, "arguments", arguments)
	}
	e.event("output_item.added", "output_index", len(e.output), "item", item(inProgress, ""))
	for _, piece := range pieces(c.Arguments, argPieces, argPiece) {
		e.event("function_call_arguments.delta", "output_index", len(e.output), "item_id", id, "delta", piece)
	}
	e.event("function_call_arguments.done", "output_index", len(e.output), "item_id", id, "arguments", c.Arguments)
	e.end(item(completed, c.Arguments))
}

// end sends a whole item.
func (e *responseEvents) end(item json.RawMessage) {
	e.event("output_item.done", "output_index", len(e.output), "item", item)
	e.output = append(e.output, item)
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

package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// anthropic is the Messages API of Anthropic. Its list of models has the path that
// OpenAI's has; who asks is known by the API's version or by how the key is sent.
var anthropic = &Wire{
	Name: "anthropic", Path: "/v1/messages",
	echo:    true,
	find:    findAnthropic,
	parse:   parseMessages,
	list:    "messages",
	last:    lastMessage,
	results: messageResults, answer: readMessage,
	stream:  messageStream,
	whole:   messageWhole,
	Failure: messageFailure,
	Tokens:  func(count int) []byte { return jsontext.MustMarshal(map[string]any{"input_tokens": count}) },
	Models:  messageModels,
	Model:   func(name string) []byte { return jsontext.MustMarshal(anthropicModel(name)) },
}

var belowMessages = below(map[string]Ask{"/v1/messages": Answer, "/v1/messages/count_tokens": Tokens, "/v1/models": Models})

// findAnthropic finds the models for clients of Anthropic alone.
func findAnthropic(path string, h http.Header) (Ask, string) {
	ask, base := belowMessages(path, h)
	if above, ok := cutModel(path); ok && ask == Nothing {
		ask, base = Model, above
	}
	if (ask == Models || ask == Model) && h.Get("Anthropic-Version") == "" && h.Get("X-Api-Key") == "" {
		return Nothing, ""
	}
	return ask, base
}

// The parts of a message and of the events of its stream that are written.
type (
	messageEvent struct {
		Type    string            `json:"type"`
		Message *anthropicMessage `json:"message,omitempty"`
		Index   *int              `json:"index,omitempty"`
		Block   any               `json:"content_block,omitempty"`
		Delta   any               `json:"delta,omitempty"`
		Usage   *messageUsage     `json:"usage,omitempty"`
	}
	anthropicMessage struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Role    string `json:"role"`
		Model   string `json:"model"`
		Content []any  `json:"content"`
		messageEnd
		Usage messageUsage `json:"usage"`
	}
	messageEnd struct {
		StopReason   *string `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	}
	messageUsage struct {
		Input   int64 `json:"input_tokens"`
		Created int64 `json:"cache_creation_input_tokens"`
		Cached  int64 `json:"cache_read_input_tokens"`
		Output  int64 `json:"output_tokens"`
	}
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	toolUse struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	inputDelta struct {
		Type    string `json:"type"`
		Partial string `json:"partial_json"`
	}
)

// message returns the message of a reply as far as it is known when it begins.
func (r *Reply) message() anthropicMessage {
	return anthropicMessage{
		ID: fmt.Sprintf("msg_script_%d", r.Number), Type: "message", Role: "assistant", Model: r.Model, Content: []any{},
		Usage: messageCounts(r.Usage),
	}
}

// toolUse returns call i without its arguments.
func (r *Reply) toolUse(i int) toolUse {
	return toolUse{Type: "tool_use", ID: fmt.Sprintf("toolu_%d_%d", r.Number, i), Name: r.Calls[i].Tool, Input: json.RawMessage("{}")}
}

// stopReason returns what the API calls the way in which a reply ends, nil for
// one that has no end. A reason that nobody knows is sent as it is.
func (r *Reply) stopReason() *string {
	said := r.finish()
	if said == "" {
		return nil
	}
	reason, _ := chat.FinishReason(said)
	reason = cmp.Or(map[string]string{
		chat.FinishStop: "end_turn", "tool_calls": "tool_use", "function_call": "tool_use",
		chat.FinishLength: "max_tokens", chat.FinishFilter: "refusal",
	}[reason], reason)
	return &reason
}

// messageCounts returns usage as the API names it, which counts cached tokens
// apart and knows no count that is not told.
func messageCounts(u *Usage) (c messageUsage) {
	if u == nil {
		return c
	}
	count := func(n *int64) int64 { return *cmp.Or(n, new(int64)) }
	c.Cached, c.Output = count(u.Cached), count(u.Output)
	c.Input = max(0, count(u.Input)-c.Cached)
	return c
}

// messageStream returns a reply as the event stream of a message.
func messageStream(r Reply) ([]byte, error) {
	e := &messageEvents{}
	m := r.message()
	m.Usage.Output = min(1, m.Usage.Output) // the rest is yet to come
	e.event("message_start", messageEvent{Message: &m})
	if r.Text != nil && *r.Text != "" {
		var deltas []any
		for _, piece := range pieces(*r.Text, textPieces, textPiece) {
			deltas = append(deltas, textBlock{"text_delta", piece})
		}
		e.block(textBlock{Type: "text"}, deltas)
	}
	for i, c := range r.Calls {
		var deltas []any
		for _, piece := range pieces(c.Arguments, argPieces, argPiece) {
			deltas = append(deltas, inputDelta{"input_json_delta", piece})
		}
		e.block(r.toolUse(i), deltas)
	}
	if reason := r.stopReason(); reason != nil {
		all := messageCounts(r.Usage)
		e.event("message_delta", messageEvent{Delta: messageEnd{StopReason: reason}, Usage: &all})
		e.event("message_stop", messageEvent{})
	}
	return e.out, nil
}

// messageEvents writes a message as server-sent events.
type messageEvents struct {
	blocks int
	out    []byte
}

func (e *messageEvents) event(name string, v messageEvent) {
	v.Type = name
	e.out = fmt.Appendf(e.out, "event: %s\ndata: %s\n\n", name, jsontext.MustMarshal(v))
}

// block sends a block of content. A ping stands where endpoints send their first.
func (e *messageEvents) block(start any, deltas []any) {
	index := e.blocks
	e.blocks++
	e.event("content_block_start", messageEvent{Index: &index, Block: start})
	if index == 0 {
		e.event("ping", messageEvent{})
	}
	for _, delta := range deltas {
		e.event("content_block_delta", messageEvent{Index: &index, Delta: delta})
	}
	e.event("content_block_stop", messageEvent{Index: &index})
}

// messageWhole returns a reply as a message. Arguments are a value there, so only
// a stream can hold some that are no JSON object.
func messageWhole(r Reply) ([]byte, error) {
	m := r.message()
	if r.Text != nil && *r.Text != "" {
		m.Content = append(m.Content, textBlock{"text", *r.Text})
	}
	for i, c := range r.Calls {
		use := r.toolUse(i)
		var err error
		if use.Input, err = c.object(); err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		m.Content = append(m.Content, use)
	}
	m.StopReason = r.stopReason()
	return jsontext.MustMarshal(m), nil
}

// parseMessages reads a request.
func parseMessages(r *Request, _ *url.URL, body []byte) error {
	var request struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Output struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	r.Model, r.Stream, r.Schema = request.Model, request.Stream, request.Output.Format.Schema
	for _, t := range request.Tools {
		r.offer(t.Name, t.Parameters)
	}
	return nil
}

// lastMessage reads the last message. Of one with results of tools the last result
// counts; what stands behind it are reminders that agents add.
func lastMessage(body []byte) (map[string]any, error) {
	m, err := lastOf(withoutReminders(items(member(body, "messages"))))
	parts, _ := m["content"].([]any)
	for _, part := range slices.Backward(parts) {
		if result, _ := part.(map[string]any); result["type"] == "tool_result" {
			m["role"], m["tool_call_id"], m["content"] = "tool", result["tool_use_id"], Text(result["content"])
			if failed, ok := result["is_error"]; ok {
				m["is_error"] = failed
			}
			break
		}
	}
	return m, err
}

// withoutReminders returns messages without the last ones of the system, which
// agents put behind what a user or a tool says.
func withoutReminders(messages [][]byte) [][]byte {
	for n := len(messages); n > 1; n-- {
		var m struct {
			Role string `json:"role"`
		}
		if json.Unmarshal(messages[n-1], &m) != nil || m.Role != "system" {
			return messages[:n]
		}
	}
	return messages[:min(1, len(messages))]
}

// messageErrors are the names of errors by status.
var messageErrors = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusPaymentRequired: "billing_error",
	http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error",
	http.StatusGatewayTimeout: "timeout_error", 529: "overloaded_error",
}

// messageFailure spells an error as the API does.
func messageFailure(f Failure) []byte {
	other := "invalid_request_error"
	if f.Status >= http.StatusInternalServerError {
		other = "api_error"
	}
	type detail struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	return jsontext.MustMarshal(struct {
		Type  string `json:"type"`
		Error detail `json:"error"`
		ID    string `json:"request_id"`
	}{"error", detail{cmp.Or(messageErrors[f.Status], other), f.Message}, "req_script"})
}

// messageModels spells the list of models, all of them on one page.
func messageModels(name string) []byte {
	return jsontext.MustMarshal(map[string]any{"has_more": false, "first_id": name, "last_id": name, "data": []any{anthropicModel(name)}})
}

func anthropicModel(name string) map[string]any {
	return map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
}

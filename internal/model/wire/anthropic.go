package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
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
	parse:   parseMessages,
	list:    "messages",
	last:    lastMessage,
	results: messageResults, answer: readMessage,
	counts: counts{
		{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}, {"output_tokens"}, nil, {"cache_read_input_tokens"},
	},
	stream:  messageStream,
	whole:   messageWhole,
	Failure: messageFailure,
	Tokens:  func(count int) []byte { return jsontext.MustMarshal(map[string]any{"input_tokens": count}) },
	Models:  messageModels,
	Model:   func(name string) []byte { return jsontext.MustMarshal(anthropicModel(name)) },
}

// message returns the message of a reply with that content.
func (r *Reply) message(content []any, stop *string, usage json.RawMessage) json.RawMessage {
	return Object("id", fmt.Sprintf("msg_script_%d", r.Number), "type", "message", "role", "assistant", "model", r.Model,
		"content", content, "stop_reason", stop, "stop_sequence", nil, "usage", usage)
}

// toolUse returns call i with its arguments.
func (r *Reply) toolUse(i int, input json.RawMessage) json.RawMessage {
	return Object("type", "tool_use", "id", fmt.Sprintf("toolu_%d_%d", r.Number, i), "name", r.Calls[i].Tool, "input", input)
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

// messageCounts returns usage as the API names it, with at most so much output. It counts
// cached tokens apart and knows no count that is not told.
func messageCounts(u *Usage, most int64) json.RawMessage {
	u = cmp.Or(u, &Usage{})
	count := func(n *int64) int64 { return *cmp.Or(n, new(int64)) }
	cached := count(u.Cached)
	return Object("input_tokens", max(0, count(u.Input)-cached), "cache_creation_input_tokens", 0,
		"cache_read_input_tokens", cached, "output_tokens", min(most, count(u.Output)))
}

// messageStream returns a reply as the event stream of a message.
func messageStream(r Reply) ([]byte, error) {
	e := &messageEvents{}
	e.event("message_start", "message", r.message([]any{}, nil, messageCounts(r.Usage, 1))) // the rest is yet to come
	if r.Text != nil && *r.Text != "" {
		e.block(Object("type", "text", "text", ""), "text_delta", "text", pieces(*r.Text, textPieces, textPiece))
	}
	for i, c := range r.Calls {
		e.block(r.toolUse(i, Object()), "input_json_delta", "partial_json", pieces(c.Arguments, argPieces, argPiece))
	}
	if reason := r.stopReason(); reason != nil {
		e.event("message_delta", "delta", Object("stop_reason", reason, "stop_sequence", nil), "usage", messageCounts(r.Usage, math.MaxInt64))
		e.event("message_stop")
	}
	return e.out, nil
}

// messageEvents writes a message as server-sent events.
type messageEvents struct {
	blocks int
	out    []byte
}

func (e *messageEvents) event(name string, members ...any) {
	e.out = fmt.Appendf(e.out, "event: %s\ndata: %s\n\n", name, Object(append([]any{"type", name}, members...)...))
}

// block sends a block of content, in deltas of a kind that have their piece as a member.
// A ping stands where endpoints send their first.
func (e *messageEvents) block(start json.RawMessage, kind, member string, pieces []string) {
	e.event("content_block_start", "index", e.blocks, "content_block", start)
	if e.blocks == 0 {
		e.event("ping")
	}
	for _, piece := range pieces {
		e.event("content_block_delta", "index", e.blocks, "delta", Object("type", kind, member, piece))
	}
	e.event("content_block_stop", "index", e.blocks)
	e.blocks++
}

// messageWhole returns a reply as a message. Arguments are a value there, so only
// a stream can hold some that are no JSON object.
func messageWhole(r Reply) ([]byte, error) {
	content := []any{}
	if r.Text != nil && *r.Text != "" {
		content = append(content, Object("type", "text", "text", *r.Text))
	}
	for i, c := range r.Calls {
		input, err := c.object()
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		content = append(content, r.toolUse(i, input))
	}
	return r.message(content, r.stopReason(), messageCounts(r.Usage, math.MaxInt64)), nil
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
	return Object("type", "error", "error", Object("type", cmp.Or(messageErrors[f.Status], other), "message", f.Message),
		"request_id", "req_script")
}

// messageModels spells the list of models, all of them on one page.
func messageModels(name string) []byte {
	return jsontext.MustMarshal(map[string]any{"has_more": false, "first_id": name, "last_id": name, "data": []any{anthropicModel(name)}})
}

func anthropicModel(name string) map[string]any {
	return map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
}

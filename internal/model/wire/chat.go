package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// chatCompletions is the API that most endpoints offer.
var chatCompletions = &Wire{
	Name: "chat", Path: "/v1/chat/completions",
	find:  findChat,
	parse: parseChat,
	list:  "messages",
	last: func(body []byte) (map[string]any, error) {
		return lastOf(items(member(body, "messages")))
	},
	results: chatResults, answer: readChat,
	stream:  chatStream,
	whole:   chatWhole,
	Failure: openAIFailure,
	Models:  openAIModels,
	Model:   func(name string) []byte { return jsontext.MustMarshal(openAIModel(name)) },
}

var belowChat = below(map[string]Ask{"/chat/completions": Answer, "/models": Models})

// findChat finds replies and lists of models below any path, one model only where
// OpenAI has it.
func findChat(path string, h http.Header) (Ask, string) {
	ask, base := belowChat(path, h)
	if above, ok := cutModel(path); ok && ask == Nothing {
		return Model, above + "/v1"
	}
	return ask, base
}

// The parts of a chat completion and of its chunks that are written.
type (
	chunk struct {
		ID      string     `json:"id"`
		Object  string     `json:"object"`
		Created int        `json:"created"`
		Model   string     `json:"model"`
		Choices []choice   `json:"choices"`
		Usage   *chatUsage `json:"usage,omitempty"`
	}
	choice struct {
		Index        int      `json:"index"`
		Delta        *delta   `json:"delta,omitempty"`
		Message      *message `json:"message,omitempty"`
		FinishReason *string  `json:"finish_reason"`
	}
	message struct {
		Role      string     `json:"role"`
		Content   *string    `json:"content"`
		ToolCalls []toolCall `json:"tool_calls,omitempty"`
	}
	toolCall struct {
		ID       string        `json:"id"`
		Type     string        `json:"type"`
		Function deltaFunction `json:"function"`
	}
	chatUsage struct {
		Input   *int64         `json:"prompt_tokens,omitempty"`
		Output  *int64         `json:"completion_tokens,omitempty"`
		Total   *int64         `json:"total_tokens,omitempty"`
		Details cachedCount    `json:"prompt_tokens_details,omitzero"`
		Spent   reasoningCount `json:"completion_tokens_details,omitzero"`
	}
	cachedCount struct {
		Tokens *int64 `json:"cached_tokens"`
	}
	reasoningCount struct {
		Tokens *int64 `json:"reasoning_tokens"`
	}
	delta struct {
		Role      string      `json:"role,omitempty"`
		Content   string      `json:"content,omitempty"`
		ToolCalls []deltaCall `json:"tool_calls,omitempty"`
	}
	deltaCall struct {
		Index    int           `json:"index"`
		ID       string        `json:"id,omitempty"`
		Type     string        `json:"type,omitempty"`
		Function deltaFunction `json:"function"`
	}
	deltaFunction struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
)

// chatStream returns a reply as the event stream of a chat completion.
func chatStream(r Reply) ([]byte, error) {
	s := &chunks{reply: &r}
	s.delta(delta{Role: "assistant"})
	if r.Text != nil {
		for _, piece := range pieces(*r.Text, textPieces, textPiece) {
			s.delta(delta{Content: piece})
		}
	}
	for i, c := range r.Calls {
		s.call(i, c)
	}
	if reason := r.finish(); reason != "" {
		s.event([]choice{{Delta: &delta{}, FinishReason: &reason}}, nil)
	}
	if r.Usage != nil {
		s.event([]choice{}, r.Usage)
	}
	return append(s.out, "data: [DONE]\n\n"...), nil
}

// chatWhole returns a reply as a chat completion.
func chatWhole(r Reply) ([]byte, error) {
	c := choice{Message: &message{Role: "assistant", Content: r.Text}}
	for i, call := range r.Calls {
		c.Message.ToolCalls = append(c.Message.ToolCalls, toolCall{
			ID: r.callID(i), Type: "function", Function: deltaFunction{Name: call.Tool, Arguments: call.Arguments},
		})
	}
	if reason := r.finish(); reason != "" {
		c.FinishReason = &reason
	}
	return jsontext.MustMarshal(chunk{
		ID: completionID(&r), Object: "chat.completion", Model: r.Model, Choices: []choice{c}, Usage: chatCounts(r.Usage),
	}), nil
}

func completionID(r *Reply) string { return fmt.Sprintf("chatcmpl-script-%d", r.Number) }

// chatCounts returns usage as the API names it, nil for none.
func chatCounts(u *Usage) *chatUsage {
	if u == nil {
		return nil
	}
	all := u.whole()
	return &chatUsage{Input: all.Input, Output: all.Output, Total: all.Total, Details: cachedCount{u.Cached}, Spent: reasoningCount{u.Reasoning}}
}

// chunks writes a chat completion as server-sent events.
type chunks struct {
	reply *Reply
	out   []byte
}

func (s *chunks) event(choices []choice, u *Usage) {
	s.out = append(s.out, "data: "...)
	s.out = append(s.out, jsontext.MustMarshal(chunk{
		ID: completionID(s.reply), Object: "chat.completion.chunk", Model: s.reply.Model, Choices: choices, Usage: chatCounts(u),
	})...)
	s.out = append(s.out, "\n\n"...)
}

func (s *chunks) delta(d delta) { s.event([]choice{{Delta: &d}}, nil) }

// call sends a call as models do: its name first, then its arguments in pieces.
func (s *chunks) call(i int, c Call) {
	s.delta(delta{ToolCalls: []deltaCall{{
		Index: i, ID: s.reply.callID(i), Type: "function", Function: deltaFunction{Name: c.Tool},
	}}})
	for _, piece := range pieces(c.Arguments, argPieces, argPiece) {
		s.delta(delta{ToolCalls: []deltaCall{{Index: i, Function: deltaFunction{Arguments: piece}}}})
	}
}

// parseChat reads a request: tools are functions, or freeform ones under custom.
func parseChat(r *Request, _ *url.URL, body []byte) error {
	var request struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Function openAITool `json:"function"`
			Custom   openAITool `json:"custom"`
		} `json:"tools"`
		Format struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	r.Model, r.Stream, r.Schema = request.Model, request.Stream, request.Format.Schema.Schema
	for _, t := range request.Tools {
		r.offer(cmp.Or(t.Function.Name, t.Custom.Name), t.Function.Parameters)
	}
	return nil
}

// openAITool is a tool as the requests of both APIs of OpenAI hold it.
type openAITool struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// openAIFailure spells an error as the APIs of OpenAI do, whose description requires
// all four members.
func openAIFailure(f Failure) []byte {
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	return jsontext.MustMarshal(map[string]any{"error": detail{Message: f.Message, Type: "script"}})
}

// openAIModels spells the list of models.
func openAIModels(name string) []byte {
	return jsontext.MustMarshal(map[string]any{"object": "list", "data": []any{openAIModel(name)}})
}

func openAIModel(name string) map[string]any {
	return map[string]any{"id": name, "object": "model", "created": 0, "owned_by": "script"}
}

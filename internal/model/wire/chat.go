package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// chatCompletions is the API that most endpoints offer.
var chatCompletions = &Wire{
	Name: "chat", Path: "/v1/chat/completions",
	parse: parseChat,
	list:  "messages",
	last: func(body []byte) (map[string]any, error) {
		return lastOf(items(member(body, "messages")))
	},
	results: chatResults, answer: readChat,
	counts:  counts{{"prompt_tokens"}, {"completion_tokens"}, {"total_tokens"}, {"prompt_tokens_details.cached_tokens"}},
	stream:  chatStream,
	whole:   chatWhole,
	Failure: openAIFailure,
	Models:  openAIModels,
	Model:   func(name string) []byte { return jsontext.MustMarshal(openAIModel(name)) },
}

// chatStream returns a reply as the event stream of a chat completion. A call comes as
// models send it: its name first, then its arguments in pieces.
func chatStream(r Reply) (out []byte, err error) {
	event := func(usage *Usage, choices ...any) {
		out = fmt.Appendf(out, "data: %s\n\n", r.completion("chat.completion.chunk", choices, usage))
	}
	delta := func(members ...any) {
		event(nil, Object("index", 0, "delta", Object(members...), "finish_reason", nil))
	}
	delta("role", "assistant")
	if r.Text != nil {
		for _, piece := range pieces(*r.Text, textPieces, textPiece) {
			delta("content", piece)
		}
	}
	for i, c := range r.Calls {
		delta("tool_calls", []any{Object("index", i, "id", r.callID(i), "type", "function", "function", Object("name", c.Tool, "arguments", ""))})
		for _, piece := range pieces(c.Arguments, argPieces, argPiece) {
			delta("tool_calls", []any{Object("index", i, "function", Object("arguments", piece))})
		}
	}
	if reason := r.finish(); reason != "" {
		event(nil, Object("index", 0, "delta", Object(), "finish_reason", reason))
	}
	if r.Usage != nil {
		event(r.Usage)
	}
	return append(out, "data: [DONE]\n\n"...), nil
}

// chatWhole returns a reply as a chat completion.
func chatWhole(r Reply) ([]byte, error) {
	var calls []any
	for i, call := range r.Calls {
		calls = append(calls, Object("id", r.callID(i), "type", "function", "function", Object("name", call.Tool, "arguments", call.Arguments)))
	}
	message := Object("role", "assistant", "content", r.Text, "tool_calls?", calls)
	choice := Object("index", 0, "message", message, "finish_reason", unlessEmpty(r.finish()))
	return r.completion("chat.completion", []any{choice}, r.Usage), nil
}

// completion returns a chat completion or a chunk of one.
func (r *Reply) completion(kind string, choices []any, u *Usage) json.RawMessage {
	return Object("id", fmt.Sprintf("chatcmpl-script-%d", r.Number), "object", kind, "created", 0, "model", r.Model,
		"choices", append([]any{}, choices...), "usage?", chatCounts(u))
}

// chatCounts returns usage as the API names it, nil for none.
func chatCounts(u *Usage) json.RawMessage {
	if u == nil {
		return nil
	}
	all := u.whole()
	return Object("prompt_tokens?", all.Input, "completion_tokens?", all.Output, "total_tokens?", all.Total,
		"prompt_tokens_details?", detail("cached_tokens", u.Cached), "completion_tokens_details?", detail("reasoning_tokens", u.Reasoning))
}

// detail returns an object with one count, nil for a count that is not told.
func detail(name string, n *int64) json.RawMessage {
	if n == nil {
		return nil
	}
	return Object(name, n)
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
	return Object("error", Object("message", f.Message, "type", "script", "param", nil, "code", nil))
}

// openAIModels spells the list of models.
func openAIModels(name string) []byte {
	return jsontext.MustMarshal(map[string]any{"object": "list", "data": []any{openAIModel(name)}})
}

func openAIModel(name string) map[string]any {
	return map[string]any{"id": name, "object": "model", "created": 0, "owned_by": "script"}
}

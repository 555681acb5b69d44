package transport

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// The parts of a chat completion and of its chunks that a script sends.
type (
	chunk struct {
		ID      string   `json:"id"`
		Object  string   `json:"object"`
		Created int      `json:"created"`
		Model   string   `json:"model"`
		Choices []choice `json:"choices"`
		Usage   *usage   `json:"usage,omitempty"`
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
func (t *turn) chatStream(n int) []byte {
	s := &chunks{id: completionID(n)}
	s.delta(delta{Role: "assistant"})
	if t.text != nil {
		for _, piece := range pieces(*t.text, textPieces, textPiece) {
			s.delta(delta{Content: piece})
		}
	}
	for i, c := range t.calls {
		s.call(i, callID(n, i), c)
	}
	if reason := t.finishReason(); reason != "" {
		s.event([]choice{{Delta: &delta{}, FinishReason: &reason}}, nil)
	}
	if t.usage != nil {
		s.event([]choice{}, t.usage.whole())
	}
	return append(s.out, "data: [DONE]\n\n"...)
}

// chatWhole returns a reply as a chat completion.
func (t *turn) chatWhole(n int) []byte {
	c := choice{Message: &message{Role: "assistant", Content: t.text}}
	for i, call := range t.calls {
		c.Message.ToolCalls = append(c.Message.ToolCalls, toolCall{
			ID: callID(n, i), Type: "function", Function: deltaFunction{Name: call.tool, Arguments: call.arguments},
		})
	}
	if reason := t.finishReason(); reason != "" {
		c.FinishReason = &reason
	}
	completion := chunk{ID: completionID(n), Object: "chat.completion", Model: modelName, Choices: []choice{c}}
	if t.usage != nil {
		completion.Usage = t.usage.whole()
	}
	return jsontext.MustMarshal(completion)
}

func completionID(n int) string { return fmt.Sprintf("chatcmpl-script-%d", n) }

// chunks writes a chat completion as server-sent events.
type chunks struct {
	id  string
	out []byte
}

func (s *chunks) event(choices []choice, u *usage) {
	s.out = append(s.out, "data: "...)
	s.out = append(s.out, jsontext.MustMarshal(chunk{
		ID: s.id, Object: "chat.completion.chunk", Model: modelName, Choices: choices, Usage: u,
	})...)
	s.out = append(s.out, "\n\n"...)
}

func (s *chunks) delta(d delta) { s.event([]choice{{Delta: &d}}, nil) }

// call sends a call as models do: its name first, then its arguments in pieces.
func (s *chunks) call(i int, id string, c call) {
	s.delta(delta{ToolCalls: []deltaCall{{
		Index: i, ID: id, Type: "function", Function: deltaFunction{Name: c.tool},
	}}})
	for _, piece := range pieces(c.arguments, argPieces, argPiece) {
		s.delta(delta{ToolCalls: []deltaCall{{Index: i, Function: deltaFunction{Arguments: piece}}}})
	}
}

// callID names call i, from 0, of turn n.
func callID(n, i int) string { return fmt.Sprintf("call_%d_%d", n, i) }

package transport

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// answer is a turn as it goes over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
	// cut tells that the connection breaks after body.
	cut bool
}

// answer returns the response of turn n. The same turn and number always give
// the same bytes.
func (t *turn) answer(n int) answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	if t.fault != nil && t.fault.replaces() {
		a = t.fault.answer()
	} else {
		a.header.Set("Content-Type", "text/event-stream")
		a.body = t.stream(n)
	}
	if t.fault != nil && t.fault.cut >= 0 {
		a.cut = true
		a.body = a.body[:min(t.fault.cut, len(a.body))]
	}
	return a
}

// answer returns the response that stands in place of a reply.
func (f *fault) answer() answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	if f.status != 0 {
		a.status = f.status
	}
	if f.retryAfter != "" {
		a.header.Set("Retry-After", f.retryAfter)
	}
	switch {
	case f.body != nil:
		a.body = []byte(*f.body)
	case a.status >= http.StatusBadRequest:
		a.body = errorBody("scripted fault")
	}
	a.header.Set("Content-Type", contentType(string(a.body)))
	return a
}

// contentType is what a server would say of such a body.
func contentType(body string) string {
	switch {
	case strings.HasPrefix(strings.TrimSpace(body), "<"):
		return "text/html"
	case strings.HasPrefix(strings.TrimSpace(body), "{"):
		return "application/json"
	}
	return "text/event-stream"
}

func errorBody(message string) []byte {
	return marshal(map[string]any{"error": map[string]any{"message": message, "type": "script"}})
}

// The parts of a chat completion chunk that a script sends.
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
		Index        int     `json:"index"`
		Delta        delta   `json:"delta"`
		FinishReason *string `json:"finish_reason"`
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

// Text and arguments come in at most so many pieces, none shorter than so many
// bytes: enough to show a client pieces, few enough to be cheap.
const (
	textPieces, textPiece = 16, 16
	argPieces, argPiece   = 4, 8
)

// stream returns the event stream of a reply.
func (t *turn) stream(n int) []byte {
	s := &sse{id: fmt.Sprintf("chatcmpl-script-%d", n)}
	s.delta(delta{Role: "assistant"})
	if t.text != nil {
		for _, piece := range pieces(*t.text, textPieces, textPiece) {
			s.delta(delta{Content: piece})
		}
	}
	for i, c := range t.calls {
		s.call(i, fmt.Sprintf("call_%d_%d", n, i), c)
	}
	if reason := t.finishReason(); reason != "" {
		s.event([]choice{{FinishReason: &reason}}, nil)
	}
	if t.usage != nil {
		s.event([]choice{}, t.usage.whole())
	}
	return append(s.out, "data: [DONE]\n\n"...)
}

// finishReason returns the reason given, else the one that goes with the reply;
// "" leaves it out of the stream.
func (t *turn) finishReason() string {
	switch {
	case t.finish != nil:
		return *t.finish
	case t.calls != nil:
		return "tool_calls"
	}
	return "stop"
}

// whole returns the counts with the total that follows from them.
func (u usage) whole() *usage {
	if u.Total == nil && u.Input != nil && u.Output != nil {
		total := *u.Input + *u.Output
		u.Total = &total
	}
	return &u
}

// sse writes chunks as server-sent events.
type sse struct {
	id  string
	out []byte
}

func (s *sse) event(choices []choice, u *usage) {
	s.out = append(s.out, "data: "...)
	s.out = append(s.out, marshal(chunk{
		ID: s.id, Object: "chat.completion.chunk", Model: "script", Choices: choices, Usage: u,
	})...)
	s.out = append(s.out, "\n\n"...)
}

func (s *sse) delta(d delta) { s.event([]choice{{Delta: d}}, nil) }

// call sends a call as models do: its name first, then its arguments in pieces.
func (s *sse) call(i int, id string, c call) {
	s.delta(delta{ToolCalls: []deltaCall{{
		Index: i, ID: id, Type: "function", Function: deltaFunction{Name: c.tool},
	}}})
	for _, piece := range pieces(c.arguments, argPieces, argPiece) {
		s.delta(delta{ToolCalls: []deltaCall{{Index: i, Function: deltaFunction{Arguments: piece}}}})
	}
}

// pieces cuts s between code points into at most count parts of at least size
// bytes.
func pieces(s string, count, size int) []string {
	size = max(size, (len(s)+count-1)/count)
	var out []string
	for len(s) > size {
		end := size
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

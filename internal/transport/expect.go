package transport

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// expectation is what a turn demands of the last message of its request.
type expectation struct {
	// substring counts when subset is nil.
	substring string
	subset    map[string]any
	// want shows the expectation in failures.
	want string
}

func expectNode(n *yaml.Node) (*expectation, error) {
	if isScalar(n, "!!str") {
		return &expectation{substring: n.Value, want: strconv.Quote(n.Value)}, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, refuse(n, "want a string or a mapping of message members, got %s", kindOf(n))
	}
	b, err := jsonOf(n)
	if err != nil {
		return nil, err
	}
	e := &expectation{want: string(b)}
	v, err := jsontext.Decode(b)
	e.subset, _ = v.(map[string]any)
	return e, err
}

// check returns what the last message of a request body is, if that is not
// what was expected, else "". Of a message it shows the members asked for.
func (e *expectation) check(body []byte) (got string) {
	message, err := lastMessage(body)
	if err != nil {
		return err.Error()
	}
	if e.subset != nil {
		if contains(e.subset, message) {
			return ""
		}
		maps.DeleteFunc(message, func(key string, _ any) bool { return !has(e.subset, key) })
		return string(jsontext.MustMarshal(message))
	}
	text := textOf(message["content"])
	if strings.Contains(text, e.substring) {
		return ""
	}
	return strconv.Quote(text)
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

// lastMessage returns the message that the model would answer. Its errors say
// what came in place of it.
func lastMessage(body []byte) (map[string]any, error) {
	var request struct {
		Messages []json.RawMessage `json:"messages"`
		Input    json.RawMessage   `json:"input"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, fmt.Errorf("a request that is no JSON")
	}
	messages := request.Messages
	if len(request.Input) > 0 {
		messages = inputItems(request.Input)
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("a request without messages")
	}
	v, err := jsontext.Decode(messages[len(messages)-1])
	message, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, fmt.Errorf("a message that is no object")
	}
	return asMessage(message), nil
}

// inputItems returns the input of a Responses request as a list; a text alone
// is what a user says.
func inputItems(input json.RawMessage) (items []json.RawMessage) {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return []json.RawMessage{jsontext.MustMarshal(map[string]any{"role": "user", "content": text})}
	}
	// Any other input is no list of messages, and so an empty one.
	_ = json.Unmarshal(input, &items)
	return items
}

// asMessage gives the result of a tool in a Responses request the members that
// it has in a chat completion request besides its own, so that a script meets
// its expectations over either API.
func asMessage(item map[string]any) map[string]any {
	if item["type"] == "function_call_output" {
		item["role"], item["tool_call_id"], item["content"] = "tool", item["call_id"], item["output"]
	}
	return item
}

// textOf returns the text of a message's content, which is a string or a list
// of parts.
func textOf(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		var b strings.Builder
		for _, part := range c {
			if m, ok := part.(map[string]any); ok {
				text, _ := m["text"].(string)
				b.WriteString(text)
			}
		}
		return b.String()
	}
	return ""
}

// contains reports whether want is part of got: each member of an object, each
// item of a list of the same length. Where got is text that holds JSON and
// want is no text, the JSON is compared.
func contains(want, got any) bool {
	if text, ok := got.(string); ok {
		if w, same := want.(string); same {
			return w == text
		}
		v, err := jsontext.Decode([]byte(text))
		return err == nil && contains(want, v)
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for key, value := range w {
			ok = ok && has(g, key) && contains(value, g[key])
		}
		return ok
	case []any:
		g, ok := got.([]any)
		ok = ok && len(g) == len(w)
		for i := 0; ok && i < len(w); i++ {
			ok = contains(w[i], g[i])
		}
		return ok
	}
	return want == got
}

// brief bounds text shown in a failure, which is one line.
func brief(s string, max int) string {
	head, cut := clip.Prefix(s, max)
	if cut {
		head += "..."
	}
	return head
}

package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// The parts of a request that are read. The API takes its members with an
// underscore too.
type (
	geminiRequest struct {
		Tools  oneOrMore[geminiTool] `json:"tools"`
		Config struct {
			Schema  json.RawMessage `json:"responseJsonSchema"`
			OpenAPI json.RawMessage `json:"responseSchema"`
		} `json:"generationConfig"`
	}
	geminiTool struct {
		Functions oneOrMore[geminiFunction] `json:"functionDeclarations"`
		Same      oneOrMore[geminiFunction] `json:"function_declarations"`
	}
	geminiFunction struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
		Schema     json.RawMessage `json:"parametersJsonSchema"`
		SameSchema json.RawMessage `json:"parameters_json_schema"`
	}
)

// schema returns the schema of the arguments, under whichever name it stands.
func (f geminiFunction) schema() json.RawMessage {
	for _, s := range []json.RawMessage{f.Parameters, f.Schema, f.SameSchema} {
		if s != nil {
			return s
		}
	}
	return nil
}

// oneOrMore is a list of which the API takes a single item for itself.
type oneOrMore[T any] []T

// UnmarshalJSON reads a list or an item.
func (l *oneOrMore[T]) UnmarshalJSON(b []byte) error {
	if b = bytes.TrimSpace(b); bytes.HasPrefix(b, []byte("[")) || string(b) == "null" {
		return json.Unmarshal(b, (*[]T)(l))
	}
	var item T
	err := json.Unmarshal(b, &item)
	*l = []T{item}
	return err
}

// parseGemini reads a request; its path says which model and how.
func parseGemini(r *Request, at *url.URL, body []byte) error {
	model, method, _ := strings.Cut(path.Base(at.Path), ":")
	r.Model, r.Stream = model, method == "streamGenerateContent"
	query := at.Query()
	r.Array = r.Stream && cmp.Or(query.Get("alt"), query.Get("$alt")) != "sse"
	var request geminiRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	if r.Schema = request.Config.Schema; r.Schema == nil {
		r.Schema = request.Config.OpenAPI
	}
	for _, t := range request.Tools {
		for _, f := range slices.Concat(t.Functions, t.Same) {
			r.offer(f.Name, f.schema())
		}
	}
	return nil
}

// lastContent reads the last of the contents.
func lastContent(body []byte) (map[string]any, error) {
	contents := member(body, "contents")
	list := items(contents)
	if len(contents) > 0 && contents[0] != '[' && string(contents) != "null" {
		list = [][]byte{contents}
	}
	m, err := lastOf(list)
	if m != nil {
		neutral(m)
	}
	return m, err
}

// neutral gives a message the members that it has in a chat completion request,
// besides its own. Of several results of tools the last one counts.
func neutral(m map[string]any) {
	parts, ok := m["parts"].([]any)
	if !ok {
		parts = []any{m["parts"]}
	}
	for _, part := range slices.Backward(parts) {
		result, ok := either(part, "functionResponse", "function_response").(map[string]any)
		if !ok {
			continue
		}
		m["role"], m["tool_call_id"], m["content"] = "tool", result["id"], resultText(result["response"])
		if m["tool_call_id"] == nil {
			m["tool_call_id"] = result["name"]
		}
		return
	}
	switch m["role"] {
	case nil:
		m["role"] = "user"
	case "model":
		m["role"] = "assistant"
	}
	m["content"] = Text(parts)
}

// either returns the member of an object that has one of two names, nil for none.
func either(object any, name, other string) any {
	m, _ := object.(map[string]any)
	if v, ok := m[name]; ok {
		return v
	}
	return m[other]
}

// resultText returns what a tool answered as text: one that is all there is, under
// a name that clients give to a result or an error, or else the JSON of the whole.
func resultText(response any) string {
	m, _ := response.(map[string]any)
	for _, name := range []string{"output", "result", "error", "content"} {
		if text, ok := m[name].(string); ok && len(m) == 1 {
			return text
		}
	}
	return string(jsontext.MustMarshal(response))
}

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// Request is what a request for a reply says, as far as who answers needs it.
type Request struct {
	Wire  *Wire
	Model string
	// Stream asks for the reply as it comes: as server-sent events, or with Array as
	// the items of one JSON array.
	Stream, Array bool
	// Tools are those on offer, in their order.
	Tools []Tool
	// Schema is the JSON Schema that the text of the reply has to fit, empty for none.
	Schema json.RawMessage

	body []byte // as it came
}

// Tool is a tool on offer; Parameters is the JSON Schema of its arguments, empty
// for one that takes free text.
type Tool struct {
	Name       string
	Parameters json.RawMessage
}

// Parse reads the body of a request for a reply, which came at that URL, and must not
// change while the request is in use. The request is of use as far as it was read
// when there is an error, which says what stands in place of a request.
func (w *Wire) Parse(at *url.URL, body []byte) (Request, error) {
	r := Request{Wire: w, body: body}
	err := w.parse(&r, at, body)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		err = fmt.Errorf("a request with %s for %s", article(kind.Value), kind.Field)
	}
	if errors.As(err, &syntax) || err != nil && !json.Valid(body) {
		err = errors.New("a request that is no JSON")
	}
	return r, err
}

// Check returns what is wrong with a request that was read without an error: messages
// that are none, or parameters of a tool that are no schema. A request may lack them.
func (r *Request) Check() error {
	for _, t := range r.Tools {
		if p := bytes.TrimSpace(t.Parameters); len(p) > 0 && p[0] != '{' && string(p) != "null" {
			return fmt.Errorf("a request with parameters of the tool %s that are no object", strconv.Quote(t.Name))
		}
	}
	list := member(r.body, r.Wire.list)
	if len(list) == 0 || string(list) == "null" || list[0] == r.Wire.alone {
		return nil
	}
	if list[0] != '[' {
		return errors.New("a request with no list for " + r.Wire.list)
	}
	for item := range jsontext.Items(list) {
		if item[0] != '{' {
			return errors.New("a message that is no object")
		}
	}
	return nil
}

// article returns the kind of a JSON value with its article.
func article(kind string) string {
	if kind == "array" || kind == "object" {
		return "an " + kind
	}
	return "a " + kind
}

// Last returns the last message that the model would see, of a request that was read
// without an error. A tool's result has at least the members role ("tool"),
// tool_call_id and content, whatever the API names them. The error says what came in
// place of a message. Most of a long body is messages, which nothing else looks at,
// so that they are read here only, and none but the last is copied.
func (r *Request) Last() (map[string]any, error) { return r.Wire.last(r.body) }

// Spell returns a reply in the form that was asked for, and the media type of
// that. It refuses a reply that the API cannot express.
func (r *Request) Spell(reply Reply) (body []byte, media string, err error) {
	spell, media := r.Wire.whole, "application/json"
	switch {
	case r.Stream && r.Array:
		spell = r.Wire.array
	case r.Stream:
		spell, media = r.Wire.stream, "text/event-stream"
	}
	if r.Wire.echo && r.Model != "" {
		reply.Model = r.Model
	}
	body, err = spell(reply)
	return body, media, err
}

// offer adds a tool.
func (r *Request) offer(name string, parameters json.RawMessage) {
	if name != "" {
		r.Tools = append(r.Tools, Tool{name, parameters})
	}
}

// lastOf decodes the last of the messages. Its error says what came in place of it.
func lastOf(messages [][]byte) (map[string]any, error) {
	if len(messages) == 0 {
		return nil, errors.New("a request without messages")
	}
	v, err := jsontext.Decode(messages[len(messages)-1])
	message, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, errors.New("a message that is no object")
	}
	return message, nil
}

// member returns the value of a member as it stands in an object, the last one of
// that name, nil for none.
func member(object []byte, name string) (value []byte) {
	for n, v := range jsontext.Members(bytes.TrimLeft(object, " \t\r\n")) {
		if string(n) == name {
			value = v
		}
	}
	return value
}

// items returns the items of a list as they stand in it, none of any other value.
func items(list []byte) [][]byte { return slices.Collect(jsontext.Items(list)) }

// Text returns the text of a message's content, which is a string or a list of
// parts.
func Text(content any) string {
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

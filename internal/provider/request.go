package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/openagent-ci/openagent/internal/chat"
)

// body returns the request on the wire. Messages and tools are encoded when
// they are first seen and copied from then on, so that the cost of a long
// conversation's next step is that of copying it.
func (c *Client) body(req chat.Request) ([]byte, error) {
	model, err := json.Marshal(c.config.Model)
	if err != nil {
		return nil, err
	}
	tools, err := c.encodedTools(req.Tools)
	if err != nil {
		return nil, err
	}
	size := len(model) + len(tools) + 128
	for _, m := range req.Messages {
		encoded, err := m.Encoded(encodeMessage)
		if err != nil {
			return nil, err
		}
		size += len(encoded) + 1
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	b.WriteString(`{"model":`)
	b.Write(model)
	b.WriteString(`,"stream":true,"stream_options":{"include_usage":true},"messages":[`)
	for i, m := range req.Messages {
		if i > 0 {
			b.WriteByte(',')
		}
		encoded, _ := m.Encoded(encodeMessage)
		b.Write(encoded)
	}
	b.WriteByte(']')
	b.Write(tools)
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodedTools returns what encodeTools does, nothing for no specs. The bytes
// for the last specs are kept.
func (c *Client) encodedTools(specs []chat.ToolSpec) ([]byte, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.EqualFunc(c.specs, specs, sameSpec) {
		return c.tools, nil
	}
	b, err := encodeTools(specs)
	if err != nil {
		return nil, err
	}
	c.specs, c.tools = slices.Clone(specs), b
	return c.tools, nil
}

func sameSpec(a, b chat.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
}

// encodeTools returns the member of a request that offers specs.
func encodeTools(specs []chat.ToolSpec) ([]byte, error) {
	tools := make([][]byte, len(specs))
	for i, s := range specs {
		f := shared.FunctionDefinitionParam{Name: s.Name, Description: openai.String(s.Description)}
		if len(s.Parameters) > 0 {
			if !json.Valid(s.Parameters) {
				return nil, fmt.Errorf("parameters of tool %s are no JSON", s.Name)
			}
			// Not as the map that the type offers: a map loses the order in
			// which the schema presents its members.
			f.SetExtraFields(map[string]any{"parameters": s.Parameters})
		}
		b, err := openai.ChatCompletionFunctionTool(f).MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", s.Name, err)
		}
		tools[i] = b
	}
	return slices.Concat([]byte(`,"tools":[`), bytes.Join(tools, []byte(",")), []byte("]")), nil
}

// encodeMessage returns m as the endpoint wants it. The library's own encoder
// is called directly: going through json.Marshal would spell <, > and & as
// escapes, which makes code six times as long.
func encodeMessage(m *chat.Message) ([]byte, error) {
	switch m.Role {
	case chat.RoleSystem:
		return openai.SystemMessage(m.Content).MarshalJSON()
	case chat.RoleUser:
		return openai.UserMessage(m.Content).MarshalJSON()
	case chat.RoleTool:
		return openai.ToolMessage(m.Content, m.ToolCallID).MarshalJSON()
	case chat.RoleAssistant:
		return assistant(m).MarshalJSON()
	}
	return nil, fmt.Errorf("message has role %q; known: system, user, assistant, tool", m.Role)
}

// assistant returns a model's own message. Content beside calls is left out when
// it is empty, as the model left it out.
func assistant(m *chat.Message) openai.ChatCompletionMessageParamUnion {
	union := openai.AssistantMessage(m.Content)
	a := union.OfAssistant
	if m.Content == "" && len(m.ToolCalls) > 0 {
		a.Content = openai.ChatCompletionAssistantMessageParamContentUnion{}
	}
	for _, call := range m.ToolCalls {
		f := openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: call.Arguments}
		// Endpoints that parse the arguments of earlier calls refuse an empty text.
		if f.Arguments == "" {
			f.Arguments = "{}"
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: f},
		})
	}
	return union
}

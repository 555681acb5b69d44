package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// chatMessage returns m as a message of a chat completion request. The
// library's own encoder is called directly: going through json.Marshal would
// spell <, > and & as escapes, which makes code six times as long.
func chatMessage(m *chat.Message) ([]byte, error) {
	switch m.Role {
	case chat.RoleSystem:
		return openai.SystemMessage(m.Content).MarshalJSON()
	case chat.RoleUser:
		return openai.UserMessage(m.Content).MarshalJSON()
	case chat.RoleTool:
		return openai.ToolMessage(m.Content, m.ToolCallID).MarshalJSON()
	case chat.RoleAssistant:
		return chatAssistant(m)
	}
	return nil, unknownRole(m)
}

func unknownRole(m *chat.Message) error {
	return fmt.Errorf("message has role %q; known: system, user, assistant, tool", m.Role)
}

// chatAssistant returns a model's own message, with what the endpoint gave
// beside it. Content beside calls is left out when it is empty, as the model
// left it out.
func chatAssistant(m *chat.Message) ([]byte, error) {
	union := openai.AssistantMessage(m.Content)
	a := union.OfAssistant
	if m.Content == "" && len(m.ToolCalls) > 0 {
		a.Content = openai.ChatCompletionAssistantMessageParamContentUnion{}
	}
	further := false
	for _, call := range m.ToolCalls {
		f := openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: sentArguments(call)}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: f},
		})
		further = further || call.Extra.Members != nil
	}
	if further {
		calls, err := furtherCalls(m, a.ToolCalls)
		if err != nil {
			return nil, err
		}
		a.ToolCalls = nil
		m = &chat.Message{Extra: chat.Extra{Members: withMembers(calls, m.Extra.Members)}}
	}
	b, err := union.MarshalJSON()
	return withMembers(b, m.Extra.Members), err
}

// furtherCalls returns the member of a message that holds its calls, each with
// what the endpoint gave beside it.
func furtherCalls(m *chat.Message, calls []openai.ChatCompletionMessageToolCallUnionParam) ([]byte, error) {
	encoded := make([][]byte, len(calls))
	for i, c := range calls {
		b, err := c.MarshalJSON()
		if err != nil {
			return nil, err
		}
		encoded[i] = withMembers(b, m.ToolCalls[i].Extra.Members)
	}
	return slices.Concat([]byte(`{"tool_calls":[`), bytes.Join(encoded, []byte(",")), []byte("]}")), nil
}

// sentArguments returns the arguments of an earlier call. Endpoints that parse
// them refuse an empty text.
func sentArguments(c chat.ToolCall) string { return cmp.Or(c.Arguments, "{}") }

func chatTool(s chat.ToolSpec) json.Marshaler {
	f := shared.FunctionDefinitionParam{Name: s.Name, Description: openai.String(s.Description)}
	if len(s.Parameters) > 0 {
		f.SetExtraFields(inOrder(s))
	}
	return openai.ChatCompletionFunctionTool(f)
}

// inOrder returns the parameters of a tool as they are to be spelt. The map
// that the library offers would lose the order in which the schema presents
// its members.
func inOrder(s chat.ToolSpec) map[string]any { return map[string]any{"parameters": s.Parameters} }

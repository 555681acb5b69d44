package provider

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
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
	for _, call := range m.ToolCalls {
		f := openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: sentArguments(call)}
		sent := openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: f}
		if call.Extra.Members != nil {
			b, err := sent.MarshalJSON()
			if err != nil {
				return nil, err
			}
			param.SetJSON(withMembers(b, call.Extra.Members), &sent)
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &sent})
	}
	b, err := union.MarshalJSON()
	return withMembers(b, m.Extra.Members), err
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

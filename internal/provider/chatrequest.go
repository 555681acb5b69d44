package provider

import (
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/openagent-ci/openagent/internal/chat"
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
		return chatAssistant(m).MarshalJSON()
	}
	return nil, unknownRole(m)
}

func unknownRole(m *chat.Message) error {
	return fmt.Errorf("message has role %q; known: system, user, assistant, tool", m.Role)
}

// chatAssistant returns a model's own message. Content beside calls is left out
// when it is empty, as the model left it out.
func chatAssistant(m *chat.Message) openai.ChatCompletionMessageParamUnion {
	union := openai.AssistantMessage(m.Content)
	a := union.OfAssistant
	if m.Content == "" && len(m.ToolCalls) > 0 {
		a.Content = openai.ChatCompletionAssistantMessageParamContentUnion{}
	}
	for _, call := range m.ToolCalls {
		f := openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: sentArguments(call)}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: f},
		})
	}
	return union
}

// sentArguments returns the arguments of an earlier call. Endpoints that parse
// them refuse an empty text.
func sentArguments(c chat.ToolCall) string {
	if c.Arguments == "" {
		return "{}"
	}
	return c.Arguments
}

func chatTool(s chat.ToolSpec) encoder {
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

package provider

import (
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/openagent-ci/openagent/internal/chat"
)

// responsesMessage returns m as input items of a Responses request: a model's
// own message is its text, if it has one, and then one item for each call.
func responsesMessage(m *chat.Message) ([]byte, error) {
	switch m.Role {
	case chat.RoleSystem, chat.RoleUser:
		return inputMessage(m).MarshalJSON()
	case chat.RoleTool:
		return responses.ResponseInputItemFunctionCallOutputParam{
			CallID: openai.String(m.ToolCallID),
			Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String(m.Content)},
		}.MarshalJSON()
	case chat.RoleAssistant:
		return assistantItems(m)
	}
	return nil, unknownRole(m)
}

func inputMessage(m *chat.Message) responses.EasyInputMessageParam {
	return responses.EasyInputMessageParam{
		Type:    responses.EasyInputMessageTypeMessage,
		Role:    responses.EasyInputMessageRole(m.Role),
		Content: responses.EasyInputMessageContentUnionParam{OfString: openai.String(m.Content)},
	}
}

// assistantItems returns text and calls of a model's message. The calls carry
// no item ids: an endpoint that keeps nothing would look for them in vain.
func assistantItems(m *chat.Message) ([]byte, error) {
	var items []encoder
	if m.Content != "" || len(m.ToolCalls) == 0 {
		items = append(items, inputMessage(m))
	}
	for _, call := range m.ToolCalls {
		items = append(items, responses.ResponseFunctionToolCallParam{
			CallID: call.ID, Name: call.Name, Arguments: sentArguments(call),
		})
	}
	return list(items)
}

// responsesTool offers a tool as it is: unless told otherwise, the API demands
// schemas in which every member is required.
func responsesTool(s chat.ToolSpec) encoder {
	f := responses.FunctionToolParam{Name: s.Name, Description: openai.String(s.Description), Strict: param.NewOpt(false)}
	if len(s.Parameters) > 0 {
		f.SetExtraFields(inOrder(s))
	}
	return f
}

package provider

import (
	"bytes"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
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

// assistantItems returns text and calls of a model's message, each after the
// thoughts that came before it. They carry no item ids: an endpoint that keeps
// nothing would look for them in vain.
func assistantItems(m *chat.Message) ([]byte, error) {
	var items [][]byte
	add := func(item json.Marshaler, extra chat.Extra) error {
		b, err := item.MarshalJSON()
		if n := len(extra.Before); n > 2 {
			items = append(items, extra.Before[1:n-1])
		}
		items = append(items, withMembers(b, extra.Members))
		return err
	}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		if err := add(inputMessage(m), m.Extra); err != nil {
			return nil, err
		}
	}
	for _, call := range m.ToolCalls {
		err := add(responses.ResponseFunctionToolCallParam{
			CallID: call.ID, Name: call.Name, Arguments: sentArguments(call),
		}, call.Extra)
		if err != nil {
			return nil, err
		}
	}
	return bytes.Join(items, []byte(",")), nil
}

// responsesTool offers a tool as it is: unless told otherwise, the API demands
// schemas in which every member is required.
func responsesTool(s chat.ToolSpec) json.Marshaler {
	f := responses.FunctionToolParam{Name: s.Name, Description: openai.String(s.Description), Strict: param.NewOpt(false)}
	if len(s.Parameters) > 0 {
		f.SetExtraFields(inOrder(s))
	}
	return f
}

package provider

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/openagent-ci/openagent/internal/model/wire"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// chatMessage returns m as a message of a chat completion request, a model's own with what
// the endpoint gave beside it. Content beside calls is left out when it is empty, as the
// model left it out.
func chatMessage(m *chat.Message) []byte {
	switch m.Role {
	case chat.RoleSystem, chat.RoleUser:
		return wire.Object("content", m.Content, "role", m.Role)
	case chat.RoleTool:
		return wire.Object("content", m.Content, "tool_call_id", m.ToolCallID, "role", m.Role)
	}
	var calls []json.RawMessage
	for _, call := range m.ToolCalls {
		f := wire.Object("arguments", sentArguments(call), "name", call.Name)
		calls = append(calls, withMembers(wire.Object("id", call.ID, "function", f, "type", "function"), call.Extra.Members))
	}
	content := &m.Content
	if m.Content == "" && calls != nil {
		content = nil
	}
	return withMembers(wire.Object("content?", content, "tool_calls?", calls, "role", m.Role), m.Extra.Members)
}

// sentArguments returns the arguments of an earlier call. Endpoints that parse
// them refuse an empty text.
func sentArguments(c chat.ToolCall) string { return cmp.Or(c.Arguments, "{}") }

func chatTool(s chat.ToolSpec) []byte {
	f := wire.Object("name", s.Name, "description", s.Description, "parameters?", s.Parameters)
	return wire.Object("function", f, "type", "function")
}

// responsesMessage returns m as input items of a Responses request, with commas between.
// A model's own message is its text, if it has one, and then one item for each call, each
// after the thoughts that came before it. They carry no item ids: an endpoint that keeps
// nothing would look for them in vain.
func responsesMessage(m *chat.Message) []byte {
	if m.Role == chat.RoleTool {
		return wire.Object("output", m.Content, "call_id", m.ToolCallID, "type", "function_call_output")
	}
	var items [][]byte
	add := func(item []byte, extra chat.Extra) {
		if n := len(extra.Before); n > 2 {
			items = append(items, extra.Before[1:n-1])
		}
		items = append(items, withMembers(item, extra.Members))
	}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		add(wire.Object("content", m.Content, "role", m.Role, "type", "message"), m.Extra)
	}
	for _, call := range m.ToolCalls {
		add(wire.Object("arguments", sentArguments(call), "call_id", call.ID, "name", call.Name, "type", "function_call"), call.Extra)
	}
	return bytes.Join(items, []byte(","))
}

// responsesTool offers a tool as it is: unless told otherwise, the API demands
// schemas in which every member is required.
func responsesTool(s chat.ToolSpec) []byte {
	return wire.Object("strict", false, "name", s.Name, "description", s.Description, "type", "function", "parameters?", s.Parameters)
}

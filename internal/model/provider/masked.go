package provider

import (
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// message returns m on the wire, without known secrets, whoever wrote them: a
// person, a file, an earlier run or the model.
func (c *Client) message(m *chat.Message) ([]byte, error) {
	if !slices.Contains([]chat.Role{chat.RoleSystem, chat.RoleUser, chat.RoleAssistant, chat.RoleTool}, m.Role) {
		return nil, fmt.Errorf("message has role %q; known: system, user, assistant, tool", m.Role)
	}
	return c.api.message(c.masked(m)), nil
}

// masked returns m without known secrets, m itself where it holds none. What the
// endpoint gave beside a message that had to be changed is left out: it may sign
// the whole, and half of it is worth nothing.
func (c *Client) masked(m *chat.Message) *chat.Message {
	if c.config.Redactor == nil {
		return m
	}
	masked, found, given := *m, 0, 0
	text := func(s *string) {
		out, n := c.config.Redactor.Known(*s)
		*s, found = out, found+n
	}
	extra := func(e *chat.Extra) {
		for _, raw := range [][]byte{e.Members, e.Before} {
			_, n := c.config.Redactor.JSONLine(raw)
			found += n
		}
		given += e.Size()
		*e = chat.Extra{}
	}
	text(&masked.Content)
	text(&masked.ToolCallID)
	extra(&masked.Extra)
	masked.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range masked.ToolCalls {
		call := &masked.ToolCalls[i]
		text(&call.ID)
		text(&call.Name)
		text(&call.Arguments)
		extra(&call.Extra)
	}
	if found == 0 {
		return m
	}
	if given > 0 {
		c.config.Log.Warn("a message holds a known secret: what the endpoint gave beside it does not go back; the endpoint may refuse the next request")
	}
	return &masked
}

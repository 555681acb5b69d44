package agent

import (
	"fmt"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/tool"
)

// conversation is what the model is sent, and which results in it may still be
// shortened.
type conversation struct {
	messages []*chat.Message
	shown    []shown // results that were not shortened yet, in order
}

// appendResult adds a result to the conversation, bound to its call: in a
// message of its own for a call by the API, else under a line that names call and tool, in
// the one message that answers this step's calls. That is a user's message,
// the one kind that every model reads when no tool is declared.
func (c *conversation) appendResult(h call, result tool.Result, text string) {
	if !h.inText {
		c.shown = append(c.shown, shown{at: len(c.messages), text: text, result: result})
		c.messages = append(c.messages, &chat.Message{
			Role: chat.RoleTool, Content: text, ToolCallID: h.ID, ToolFailed: result.Status == tool.StatusError,
		})
		return
	}
	head := resultHead(h.ID, h.name)
	at := len(c.messages) - 1
	if last := c.messages[at]; last.Role == chat.RoleUser && last.ToolResult {
		last.Content += "\n\n" + head + text
	} else {
		c.messages = append(c.messages, &chat.Message{Role: chat.RoleUser, Content: head + text, ToolResult: true})
		at++
	}
	c.shown = append(c.shown, shown{at: at, head: head, text: text, result: result})
}

// resultHead is the line above the result of a call in text.
func resultHead(id, name string) string {
	if name == "" {
		name = "a tool that was not understood"
	}
	return fmt.Sprintf("Result of call %s (%s):\n", id, name)
}

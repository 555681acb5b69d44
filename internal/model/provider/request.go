package provider

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// body returns the request on the wire. Each message is encoded once, however many
// requests have it.
func (c *Client) body(req chat.Request) ([]byte, error) {
	model, err := json.Marshal(c.config.Model)
	if err != nil {
		return nil, err
	}
	messages, encode := make([][]byte, len(req.Messages)), c.message
	for i, m := range req.Messages {
		if messages[i], err = m.Encoded(encode); err != nil {
			return nil, err
		}
	}
	tools, err := c.tools(req.Tools)
	if err != nil {
		return nil, err
	}
	parts := [][]byte{
		[]byte(`{"model":`), model, []byte("," + c.api.members),
		bytes.Join(messages, []byte(",")), []byte("]"), tools,
	}
	if req.Answer != nil {
		schema, _ := c.config.Redactor.Known(string(req.Answer))
		parts = append(parts, []byte(c.api.answer[0]+schema+c.api.answer[1]))
	}
	return c.edited(bytes.Join(append(parts, []byte("}")), nil))
}

// tools returns the member of a request that offers specs, nothing for none.
func (c *Client) tools(specs []chat.ToolSpec) ([]byte, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	tools := make([][]byte, len(specs))
	for i, s := range specs {
		if len(s.Parameters) == 0 {
			s.Parameters = nil
		} else if !json.Valid(s.Parameters) {
			return nil, fmt.Errorf("parameters of tool %s are no JSON", s.Name)
		}
		s.Description, _ = c.config.Redactor.Known(s.Description)
		tools[i] = c.api.tool(s)
	}
	return []byte(`,"tools":[` + string(bytes.Join(tools, []byte(","))) + "]"), nil
}

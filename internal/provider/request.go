package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

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
	size := len(model) + len(tools) + len(c.api.members) + 64
	for _, m := range req.Messages {
		encoded, err := m.Encoded(c.message)
		if err != nil {
			return nil, err
		}
		size += len(encoded) + 1
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	b.WriteString(`{"model":`)
	b.Write(model)
	b.WriteByte(',')
	b.WriteString(c.api.members)
	for i, m := range req.Messages {
		if i > 0 {
			b.WriteByte(',')
		}
		encoded, _ := m.Encoded(c.message)
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
	b, err := c.encodeTools(specs)
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
func (c *Client) encodeTools(specs []chat.ToolSpec) ([]byte, error) {
	tools := make([][]byte, len(specs))
	for i, s := range specs {
		if len(s.Parameters) > 0 && !json.Valid(s.Parameters) {
			return nil, fmt.Errorf("parameters of tool %s are no JSON", s.Name)
		}
		var err error
		s.Description, _ = c.config.Redactor.Known(s.Description)
		if tools[i], err = c.api.tool(s).MarshalJSON(); err != nil {
			return nil, fmt.Errorf("tools: %w", err)
		}
	}
	return slices.Concat([]byte(`,"tools":[`), bytes.Join(tools, []byte(",")), []byte("]")), nil
}

package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/openagent-ci/openagent/internal/chat"
)

// body is a request on the wire in the pieces that it is made of, most of which
// are those of the request before. They are copied where they are sent.
type body [][]byte

func (b body) size() (bytes int64) {
	for _, piece := range b {
		bytes += int64(len(piece))
	}
	return bytes
}

// open returns a reader of the whole; there may be several.
func (b body) open() io.ReadCloser { return io.NopCloser(&bodyReader{rest: b}) }

type bodyReader struct {
	rest body
	read int // of the first piece
}

// Read fills p as far as the pieces go.
func (r *bodyReader) Read(p []byte) (n int, err error) {
	for n < len(p) && len(r.rest) > 0 {
		copied := copy(p[n:], r.rest[0][r.read:])
		n, r.read = n+copied, r.read+copied
		if r.read == len(r.rest[0]) {
			r.rest, r.read = r.rest[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

var comma = []byte(",")

// body returns the request on the wire. Messages and tools are encoded when
// they are first seen, so that the cost of a long conversation's next step is
// that of sending it.
func (c *Client) body(req chat.Request) (body, error) {
	model, err := json.Marshal(c.config.Model)
	if err != nil {
		return nil, err
	}
	tools, err := c.encodedTools(req.Tools)
	if err != nil {
		return nil, err
	}
	b := append(make(body, 0, 2*len(req.Messages)+4), []byte(`{"model":`+string(model)+`,`+c.config.Parameters.members(c.config.API)+c.api.members))
	for i, m := range req.Messages {
		encoded, err := m.Encoded(c.message)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, comma)
		}
		b = append(b, encoded)
	}
	b = append(b, []byte("]"), tools)
	if req.Answer != nil {
		schema, _ := c.config.Redactor.Known(string(req.Answer))
		b = append(b, []byte(c.api.answer[0]), []byte(schema), []byte(c.api.answer[1]))
	}
	return append(b, []byte("}")), nil
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

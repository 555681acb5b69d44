package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// body is a request on the wire in the pieces that it is made of, most of which
// are those of the request before. They are copied where they are sent.
type body struct {
	pieces [][]byte // up to the last message
	end    [][]byte
}

func (b body) size() (bytes int64) {
	for _, pieces := range [][][]byte{b.pieces, b.end} {
		for _, piece := range pieces {
			bytes += int64(len(piece))
		}
	}
	return bytes
}

func (b body) whole() []byte {
	return slices.Concat(slices.Concat(b.pieces...), slices.Concat(b.end...))
}

// open returns a reader of the whole; there may be several.
func (b body) open() io.ReadCloser { return io.NopCloser(&bodyReader{rest: b}) }

type bodyReader struct {
	rest body
	read int // of the first piece
}

// Read fills p as far as the pieces go.
func (r *bodyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.rest.pieces) == 0 {
			r.rest = body{pieces: r.rest.end}
		}
		if len(r.rest.pieces) == 0 {
			break
		}
		copied := copy(p[n:], r.rest.pieces[0][r.read:])
		n, r.read = n+copied, r.read+copied
		if r.read == len(r.rest.pieces[0]) {
			r.rest.pieces, r.read = r.rest.pieces[1:], 0
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
	tools, err := c.encodedTools(req.Tools)
	if err != nil {
		return body{}, err
	}
	pieces, err := c.encodedMessages(req.Messages)
	if err != nil {
		return body{}, err
	}
	end := [][]byte{[]byte("]"), tools}
	if req.Answer != nil {
		schema, _ := c.config.Redactor.Known(string(req.Answer))
		end = append(end, []byte(c.api.answer[0]), []byte(schema), []byte(c.api.answer[1]))
	}
	return body{pieces, append(end, []byte("}"))}, nil
}

// encodedMessages returns the pieces of a request up to its last message. A request
// that goes on where the last one ended shares the list of its pieces, to which it
// adds: what is in a list stays, as the last request may still be on its way.
func (c *Client) encodedMessages(messages []*chat.Message) ([][]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pieces == nil {
		model, err := json.Marshal(c.config.Model)
		if err != nil {
			return nil, err
		}
		c.pieces = [][]byte{[]byte(`{"model":` + string(model) + `,` + c.config.Parameters.members(c.config.API) + c.api.members)}
	}
	pieces, n := c.pieces, 1
	for i, m := range messages {
		encoded, err := m.Encoded(c.message)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			pieces, n = put(pieces, n, comma), n+1
		}
		pieces, n = put(pieces, n, encoded), n+1
	}
	c.pieces = pieces
	return pieces[:n], nil
}

// put returns pieces with piece as number n, and what followed if that was it before.
func put(pieces [][]byte, n int, piece []byte) [][]byte {
	switch {
	case n == len(pieces):
		return append(pieces, piece)
	case bytes.Equal(pieces[n], piece):
		return pieces
	}
	return append(slices.Clip(pieces[:n]), piece)
}

// encodedTools returns what encodeTools does, nothing for no specs. The bytes
// for the last specs are kept.
func (c *Client) encodedTools(specs []chat.ToolSpec) ([]byte, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	same := func(a, b chat.ToolSpec) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	}
	if slices.EqualFunc(c.specs, specs, same) {
		return c.tools, nil
	}
	b, err := c.encodeTools(specs)
	if err != nil {
		return nil, err
	}
	c.specs, c.tools = slices.Clone(specs), b
	return c.tools, nil
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

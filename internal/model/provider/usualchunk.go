package provider

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// usual reads the chunks that endpoints send nearly always, in one pass. What is
// not of the documented form, or holds anything that is told rarely, makes it
// odd; such a chunk is decoded by encoding/json, which reads the others alike.
type usual struct {
	in  *jsontext.Reader[[]byte]
	odd bool
}

// readUsual reads a chunk into c and reports whether it could.
func (c *chunk) readUsual(data []byte) bool {
	u := usual{in: &jsontext.Reader[[]byte]{Src: data, Room: jsontext.MaxDepth}}
	u.members(func(name string) {
		if name != "choices" {
			u.beside(name, "usage", "error")
			return
		}
		u.odd = u.odd || c.Choices != nil
		c.Choices = []choice{}
		for range u.in.Items() {
			c.Choices = append(c.Choices, choice{})
			u.choice(&c.Choices[len(c.Choices)-1])
		}
	})
	u.in.Blanks()
	return !u.odd && u.in.Fault == jsontext.FaultNone && u.in.Pos == len(data)
}

// members calls read with each name of the object; read reads the value.
func (u *usual) members(read func(name string)) {
	var room [8]string
	seen := room[:0]
	for raw := range u.in.Members() {
		name := string(raw)
		// encoding/json takes a name in any case, and the last of two.
		u.odd = u.odd || slices.Contains(seen, name) || strings.ContainsFunc(name, func(r rune) bool {
			return r >= utf8.RuneSelf || 'A' <= r && r <= 'Z'
		})
		seen = append(seen, name)
		read(name)
	}
}

// skip reads a value and returns it, nil if it is none.
func (u *usual) skip() []byte {
	from := u.in.Pos
	if !u.in.Skip() {
		return nil
	}
	return u.in.Src[from:u.in.Pos]
}

// beside skips a member. Of some names it may be no more than null.
func (u *usual) beside(name string, rare ...string) {
	value := u.skip()
	for _, r := range rare {
		u.odd = u.odd || name == r && string(value) != "null"
	}
}

// null skips what a message or a call must not have: its value says so.
func (u *usual) null() { u.odd = u.odd || string(u.skip()) != "null" }

func (u *usual) choice(c *choice) {
	u.members(func(name string) {
		switch name {
		case "index":
			_ = c.Index.UnmarshalJSON(u.skip()) // never fails
		case "delta":
			u.delta(&c.Delta)
		case "finish_reason":
			u.text(&c.FinishReason)
		default:
			u.beside(name, "message", "error")
		}
	})
}

func (u *usual) delta(m *message) {
	u.members(func(name string) {
		switch {
		case name == "role":
			u.skip()
		case name == "content":
			u.text(&m.Content.string)
		case name == "refusal":
			u.text(&m.Refusal.string)
		case name == "tool_calls" && u.in.Peek() == '[':
			m.ToolCalls = []deltaCall{}
			for range u.in.Items() {
				m.ToolCalls = append(m.ToolCalls, deltaCall{})
				u.call(&m.ToolCalls[len(m.ToolCalls)-1])
			}
		default:
			u.null()
		}
	})
}

func (u *usual) call(d *deltaCall) {
	u.members(func(name string) {
		switch name {
		case "index":
			u.index(d)
		case "id":
			u.text(&d.ID)
		case "type":
			u.skip()
		case "function":
			u.members(func(name string) {
				switch name {
				case "name":
					u.text(&d.Function.Name)
				case "arguments":
					u.text(&d.Function.Arguments.string)
				default:
					u.null()
				}
			})
		default:
			u.null()
		}
	})
}

// index reads a small number; there are no others.
func (u *usual) index(d *deltaCall) {
	value := u.skip()
	u.odd = u.odd || len(value) != 1 || value[0] < '0' || value[0] > '9'
	if !u.odd {
		d.Index = new(int(value[0] - '0'))
	}
}

// text reads a string, or null. One that may be cut within a character is odd.
func (u *usual) text(s *string) {
	switch value := u.skip(); {
	case string(value) == "null":
	case len(value) < 2 || value[0] != '"' || !utf8.Valid(value) ||
		bytes.Contains(value, []byte(`\u`)) || bytes.Contains(value, []byte("\ufffd")):
		u.odd = true
	default:
		*s = string(jsontext.Unquote(value))
	}
}

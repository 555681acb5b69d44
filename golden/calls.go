package golden

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
)

// CompareCalls returns the differences between the tool calls of two streams, in
// their order and by their neutral names and arguments, so that streams of
// different agents can be equal. Paths below the workspace are relative to it. Of
// a call whose arguments one of the streams has only in part, the tool is compared.
func (r Roots) CompareCalls(got, want []byte) (found []Difference) {
	g, w := r.calls(got), r.calls(want)
	for i := range max(len(g), len(w)) {
		c := comparison{call: i + 1}
		switch {
		case i >= len(w):
			c.at(g[i])
			c.add("", g[i].shown(), missing{})
		case i >= len(g):
			c.at(w[i])
			c.add("", missing{}, w[i].shown())
		default:
			c.at(w[i])
			c.calls(g[i], w[i])
		}
		found = append(found, c.found...)
	}
	return found
}

// toolCall is a call of a stream, by its neutral name.
type toolCall struct {
	line      int
	sequence  int64
	tool      string
	arguments any
	whole     bool // the arguments are JSON, so nothing is cut off
}

// shown is a call as differences show it.
func (t toolCall) shown() any {
	return map[string]any{"tool": t.tool, "arguments": t.arguments}
}

// calls returns the calls in the stream.
func (r Roots) calls(stream []byte) (list []toolCall) {
	number := 0
	for line := range bytes.Lines(stream) {
		number++
		var event struct {
			Sequence json.Number
			Type     string
			Data     struct {
				Tool    string
				Preview string `json:"arguments_preview"`
			}
		}
		if !isJSON(line) || json.Unmarshal(line, &event) != nil || event.Type != "tool_call_detected" {
			continue
		}
		neutral := toolname.Neutral(toolname.Call{Tool: event.Data.Tool, Arguments: event.Data.Preview}, r.Workspace)
		text := []byte(r.replacer().Replace(neutral.Arguments))
		c := toolCall{line: number, tool: neutral.Tool, arguments: parse(text), whole: isJSON(text)}
		c.sequence, _ = event.Sequence.Int64() // 0 for none
		list = append(list, c)
	}
	return list
}

// at names the place of a call.
func (c *comparison) at(t toolCall) { c.line, c.sequence = t.line, t.sequence }

// calls compares two calls.
func (c *comparison) calls(got, want toolCall) {
	if got.tool != want.tool {
		c.add("/tool", got.tool, want.tool)
		return
	}
	if !got.whole || !want.whole {
		return
	}
	c.values("/arguments", got.arguments, want.arguments)
	if c.found == nil && !reflect.DeepEqual(got.arguments, want.arguments) {
		c.add("/arguments", got.arguments, want.arguments) // got has more
	}
}

package golden

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/openagent-ci/openagent/internal/adapter/toolname"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// CompareCalls returns the differences between the tool calls of two streams, in
// their order, which parallel calls have not, and by their neutral names and
// arguments, so that streams of different agents can be equal. Paths below the workspace are relative to it. Of
// a call whose arguments one of the streams has only in part, the tool is compared.
func (r Roots) CompareCalls(got, want []byte) (found []Difference) {
	g, w := r.Calls(got), r.Calls(want)
	to := pair(g, w)
	for i, k := range to {
		c := comparison{call: i + 1}
		c.at(w[i])
		if k < 0 {
			c.add("", missing{}, w[i].shown())
		} else {
			c.calls(g[k], w[i])
		}
		found = append(found, c.found...)
	}
	for k := range g {
		if !slices.Contains(to, k) {
			c := comparison{call: k + 1}
			c.at(g[k])
			c.add("", g[k].shown(), missing{})
			found = append(found, c.found...)
		}
	}
	return found
}

// Call is a tool call of a stream, by its neutral name.
type Call struct {
	Line     int
	Sequence int64
	ID, Tool string
	// Arguments are the neutral ones, JSON or, where a part is cut off, text. Whole
	// reports that they are JSON.
	Arguments any
	Whole     bool
	// Own is the call as the agent made it.
	Own toolname.Call

	span
	key string // its name and arguments
}

// Before reports whether a call comes before another one of its stream: calls that ran
// in parallel have no order.
func (t Call) Before(u Call) bool { return t.before(u.span) }

// shown is a call as differences show it.
func (t Call) shown() any {
	return map[string]any{"tool": t.Tool, "arguments": t.Arguments}
}

// Calls returns the calls in the stream.
func (r Roots) Calls(stream []byte) (list []Call) {
	var f follower
	var spans []*span
	number := 0
	for text := range bytes.Lines(stream) {
		number++
		m, sequence, ok := markOf(text)
		if !ok {
			continue
		}
		s := f.add(m)
		if m.typ != callDetected {
			continue
		}
		own := toolname.Call{Tool: m.tool, Arguments: m.arguments}
		neutral := toolname.Neutral(own, r.Workspace)
		arguments := []byte(r.replacer().Replace(neutral.Arguments))
		c := Call{Line: number, Sequence: sequence, ID: m.id, Tool: neutral.Tool, Arguments: parse(arguments), Whole: isJSON(arguments), Own: own}
		c.key = c.Tool + "\x00" + string(jsontext.MustMarshal(c.Arguments))
		list, spans = append(list, c), append(spans, s)
	}
	for i, s := range spans {
		list[i].span = *s
	}
	return list
}

// at names the place of a call.
func (c *comparison) at(t Call) { c.line, c.sequence = t.Line, t.Sequence }

// calls compares two calls.
func (c *comparison) calls(got, want Call) {
	if got.Tool != want.Tool {
		c.add("/tool", got.Tool, want.Tool)
		return
	}
	if !got.Whole || !want.Whole {
		return
	}
	c.values("/arguments", got.Arguments, want.Arguments)
	if c.found == nil && !reflect.DeepEqual(got.Arguments, want.Arguments) {
		c.add("/arguments", got.Arguments, want.Arguments) // got has more
	}
}

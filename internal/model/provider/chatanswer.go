package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// message is what is read of a message or of a piece of one. It accepts the shapes that
// compatible endpoints are known to send beside the documented ones: calls without index,
// arguments as an object, content as a list of parts, null anywhere.
type message struct {
	content, refusal text
	calls            []*deltaCall
	// legacy is the one call of the API's first years.
	legacy *deltaCall
	// rest is an object of the members that are not known, "" for none.
	rest string
}

func messageOf(v gjson.Result) *message {
	f := v.Get("function_call")
	m := &message{
		content: textOf(v.Get("content")), refusal: textOf(v.Get("refusal")),
		legacy: &deltaCall{name: textOf(f.Get("name")).string, arguments: argumentsOf(f.Get("arguments"))},
		rest:   beyond(v, "role", "content", "refusal", "tool_calls", "function_call"),
	}
	for _, c := range v.Get("tool_calls").Array() {
		if d := deltaOf(c); !d.empty() {
			m.calls = append(m.calls, d)
		}
	}
	return m
}

// holdsCall reports whether a message has a piece of a call.
func (m *message) holdsCall() bool { return !m.legacy.empty() || len(m.calls) > 0 }

// deltaCall is a call or a piece of one.
type deltaCall struct {
	index     *int
	id, name  string
	arguments text
	rest      string // as that of a message
}

func deltaOf(v gjson.Result) *deltaCall {
	f := v.Get("function")
	d := &deltaCall{
		index: indexOf(v.Get("index")), id: textOf(v.Get("id")).string,
		name: textOf(f.Get("name")).string, arguments: argumentsOf(f.Get("arguments")),
		rest: beyond(v, "index", "id", "type", "function"),
	}
	if rest := beyond(f, "name", "arguments"); rest != "" {
		d.rest, _ = sjson.SetRaw(d.rest, "function", rest) // this path is always valid
	}
	return d
}

// empty reports whether a piece says nothing of a call.
func (d *deltaCall) empty() bool {
	return d.id == "" && d.name == "" && d.arguments.string == "" && d.rest == ""
}

// readChunk adds a chunk to an answer. Only the first choice counts, as no more
// than one is ever asked for; the last usage wins, as some endpoints repeat it
// with every chunk. None is the last: usage may follow the finish reason.
func readChunk(a *answer, data []byte) (done bool, failure *chat.Failure) {
	c := gjson.ParseBytes(data)
	choices := c.Get("choices")
	if !choices.IsArray() || hasValue(c.Get("error")) || baseFailed(c) {
		if said, ok := findError(data); ok {
			a.said = said
			return false, said.failure(serverError())
		}
	}
	if !json.Valid(data) || hasValue(c) && !c.IsObject() || hasValue(choices) && !choices.IsArray() {
		return false, a.unreadable()
	}
	a.events++
	if u := c.Get("usage"); hasValue(u) {
		a.usage = usageOf(u, "prompt_tokens", "completion_tokens")
	}
	for choice := range choices.Values() {
		if at := countOf(choice.Get("index")); at != nil && *at != 0 {
			continue
		}
		a.addChoice(choice)
		if a.stray {
			return false, stray()
		}
		if said, ok := readError(choice.Get("error")); ok {
			a.said = said
			return false, said.failure(serverError())
		}
	}
	return false, nil
}

// addChoice adds what a chunk has of the first choice. Some endpoints end a
// stream with the whole message; what of it came as deltas is known already.
func (a *answer) addChoice(c gjson.Result) {
	delta, whole := messageOf(c.Get("delta")), messageOf(c.Get("message"))
	a.textCame = a.textCame || delta.content.string != ""
	a.refusalCame = a.refusalCame || delta.refusal.string != ""
	a.callsCame = a.callsCame || delta.holdsCall()
	a.extraCame = a.extraCame || delta.rest != ""
	a.addMessage(delta)
	if a.textCame {
		whole.content = text{}
	}
	if a.refusalCame {
		whole.refusal = text{}
	}
	if a.callsCame {
		whole.calls, whole.legacy = nil, &deltaCall{}
	}
	if a.extraCame {
		whole.rest = ""
	}
	a.addMessage(whole)
	if finish := c.Get("finish_reason").String(); finish != "" {
		a.finish = finish
	}
}

func (a *answer) addMessage(m *message) {
	a.add(m.content)
	if m.refusal.string != "" {
		a.refuse(m.refusal)
	}
	for _, d := range m.calls {
		a.addCall(d)
	}
	if !m.legacy.empty() {
		a.addLegacy(m.legacy)
	}
	if m.rest != "" {
		a.extra = a.left.merge("", a.extra, gjson.Parse(m.rest))
	}
}

// addLegacy adds a piece of the call in the old spelling.
func (a *answer) addLegacy(d *deltaCall) {
	if a.legacy != nil && a.legacy.ended(d) {
		a.endLegacy()
	}
	if a.legacy == nil {
		a.legacy = &callParts{}
	}
	a.legacy.addName(d.name)
	a.legacy.addArguments(d.arguments)
}

// endLegacy adds the call in the old spelling to the others, unless it came in
// the new one too.
func (a *answer) endLegacy() {
	c := a.legacy
	a.legacy = nil
	twice := func(other *callParts) bool { return other.name == c.name && sameJSON(other.text(), c.text()) }
	if c != nil && !slices.ContainsFunc(a.calls, twice) {
		a.addWhole(c)
	}
}

// sameJSON reports whether two texts differ in blanks between tokens at most.
func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	if json.Compact(&x, []byte(a)) != nil || json.Compact(&y, []byte(b)) != nil {
		return a == b
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// addCall adds a piece of a tool call. The first id stays; a missing one stays
// empty, for the agent to name.
func (a *answer) addCall(d *deltaCall) {
	c := a.find(d)
	if d.name == "" && (c == nil || c.nesting.closed()) {
		c = a.orphan(c, d)
	}
	if c == nil {
		c = a.newCall(d.index, "")
	}
	if c.id == "" {
		c.id = d.id
	}
	c.addName(d.name)
	c.addArguments(d.arguments)
	if d.rest != "" {
		c.extra = a.left.merge("", c.extra, gjson.Parse(d.rest))
	}
}

// orphan returns the call that a piece without a name belongs to, where its index is
// that of no call, or of c, whose arguments are whole: the one that has no arguments
// yet, and takes those of this index from now on. With several of these the answer
// is refused: a call must not run without its arguments, nor with another one's.
func (a *answer) orphan(c *callParts, d *deltaCall) *callParts {
	if strings.TrimSpace(d.arguments.string) == "" {
		return c
	}
	var bare *callParts
	for _, o := range a.calls {
		if o == c || o.name == "" || !o.bare() || d.id != "" && d.id != o.id {
			continue
		}
		a.stray = bare != nil
		bare = o
	}
	if bare == nil {
		return c
	}
	bare.index = d.index
	return bare
}

// bare reports whether a call has no arguments, or an empty object.
func (c *callParts) bare() bool { return strings.Trim(c.text(), " {}") == "" }

// find returns the call that a piece continues, nil when it begins one. The
// latest call is looked at first: endpoints that give every call index 0 mean
// that one.
func (a *answer) find(d *deltaCall) *callParts {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if sameCall(c, d, i == len(a.calls)-1) {
			if c.ended(d) {
				return nil
			}
			return c
		}
	}
	return nil
}

// sameCall compares the index, or the id where there is none; a piece with
// neither continues the latest call unless it names a function anew.
func sameCall(c *callParts, d *deltaCall, latest bool) bool {
	switch {
	case d.index != nil && c.index != nil:
		return *d.index == *c.index
	case d.id != "":
		return d.id == c.id
	}
	return latest && (d.name == "" || c.name == "")
}

// ended reports whether d begins another call although its index is the same:
// it has another id, or, where ids are missing, it brings a function and
// arguments when those of c are already whole.
func (c *callParts) ended(d *deltaCall) bool {
	if d.id != "" && c.id != "" {
		return d.id != c.id
	}
	return d.name != "" && strings.HasPrefix(d.arguments.string, "{") && c.nesting.closed()
}

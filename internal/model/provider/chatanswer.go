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

// chunk is what is read of one event of an answer. It accepts the shapes that
// compatible endpoints are known to send beside the documented ones: a whole
// message in place of a delta, calls without index, arguments as an object,
// content as a list of parts, null anywhere.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Base    baseResponse    `json:"base_resp"`
}

type choice struct {
	Index        count           `json:"index"`
	Delta        message         `json:"delta"`
	Message      message         `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

type message struct {
	Content   text        `json:"content"`
	Refusal   text        `json:"refusal"`
	ToolCalls []deltaCall `json:"tool_calls"`
	// Legacy is the one call of the API's first years.
	Legacy deltaFunction `json:"function_call"`
	// rest is an object of the members that are not known, "" for none.
	rest string
}

// UnmarshalJSON keeps what a message has besides what is known.
func (m *message) UnmarshalJSON(b []byte) error {
	type plain message
	m.rest = beyond(b, "role", "content", "refusal", "tool_calls", "function_call")
	return json.Unmarshal(b, (*plain)(m))
}

// UnmarshalJSON keeps what a call has besides what is known.
func (d *deltaCall) UnmarshalJSON(b []byte) error {
	type plain deltaCall
	d.rest = beyond(b, "index", "id", "type", "function")
	if rest := beyond([]byte(gjson.GetBytes(b, "function").Raw), "name", "arguments"); rest != "" {
		d.rest, _ = sjson.SetRaw(d.rest, "function", rest) // this path is always valid
	}
	return json.Unmarshal(b, (*plain)(d))
}

type deltaCall struct {
	Index    *int          `json:"index"`
	ID       string        `json:"id"`
	Function deltaFunction `json:"function"`
	rest     string        // as that of a message
}

type deltaFunction struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

func (f *deltaFunction) empty() bool { return f.Name == "" && f.Arguments.string == "" }

// empty reports whether a piece says nothing of a call.
func (d *deltaCall) empty() bool { return d.ID == "" && d.rest == "" && d.Function.empty() }

// holdsCall reports whether a message has a piece of a call.
func (m *message) holdsCall() bool {
	return !m.Legacy.empty() || slices.ContainsFunc(m.ToolCalls, func(d deltaCall) bool { return !d.empty() })
}

type usage struct {
	Input   count `json:"prompt_tokens"`
	Output  count `json:"completion_tokens"`
	Total   count `json:"total_tokens"`
	Details struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDetails outputDetails `json:"completion_tokens_details"`
}

// outputDetails are the same in both APIs.
type outputDetails struct {
	Reasoning count `json:"reasoning_tokens"`
}

// readChunk adds a chunk to an answer. Only the first choice counts, as no more
// than one is ever asked for; the last usage wins, as some endpoints repeat it
// with every chunk. None is the last: usage may follow the finish reason.
func readChunk(a *answer, data []byte) (done bool, failure *chat.Failure) {
	var c chunk
	err := json.Unmarshal(data, &c)
	if c.Choices == nil || hasValue(c.Error) || c.Base.failed() {
		if said, ok := findError(data); ok {
			a.said = said
			return false, said.failure(serverError())
		}
	}
	if err != nil {
		return false, a.unreadable()
	}
	a.events++
	if c.Usage != nil {
		a.usage = chat.Usage{
			Input: c.Usage.Input.n, Output: c.Usage.Output.n,
			Total: c.Usage.Total.n, CachedInput: c.Usage.Details.Cached.n, Reasoning: c.Usage.OutputDetails.Reasoning.n,
		}
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index.n != nil && *choice.Index.n != 0 {
			continue
		}
		a.addChoice(choice)
		if a.stray {
			return false, stray()
		}
		if said, ok := readError(choice.Error); ok {
			a.said = said
			return false, said.failure(serverError())
		}
	}
	return false, nil
}

// addChoice adds what a chunk has of the first choice. Some endpoints end a
// stream with the whole message; what of it came as deltas is known already.
func (a *answer) addChoice(c *choice) {
	a.textCame = a.textCame || c.Delta.Content.string != ""
	a.refusalCame = a.refusalCame || c.Delta.Refusal.string != ""
	a.callsCame = a.callsCame || c.Delta.holdsCall()
	a.extraCame = a.extraCame || c.Delta.rest != ""
	a.addMessage(&c.Delta)
	if a.textCame {
		c.Message.Content = text{}
	}
	if a.refusalCame {
		c.Message.Refusal = text{}
	}
	if a.callsCame {
		c.Message.ToolCalls, c.Message.Legacy = nil, deltaFunction{}
	}
	if a.extraCame {
		c.Message.rest = ""
	}
	a.addMessage(&c.Message)
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
}

func (a *answer) addMessage(m *message) {
	a.add(m.Content)
	if m.Refusal.string != "" {
		a.refuse(m.Refusal)
	}
	for i := range m.ToolCalls {
		if d := &m.ToolCalls[i]; !d.empty() {
			a.addCall(d)
		}
	}
	if !m.Legacy.empty() {
		a.addLegacy(&m.Legacy)
	}
	if m.rest != "" {
		a.extra = a.left.merge("", a.extra, gjson.Parse(m.rest))
	}
}

// addLegacy adds a piece of the call in the old spelling.
func (a *answer) addLegacy(f *deltaFunction) {
	if a.legacy != nil && a.legacy.ended(&deltaCall{Function: *f}) {
		a.endLegacy()
	}
	if a.legacy == nil {
		a.legacy = &callParts{}
	}
	a.legacy.addName(f.Name)
	a.legacy.addArguments(f.Arguments)
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
	if d.Function.Name == "" && (c == nil || c.nesting.closed()) {
		c = a.orphan(c, d)
	}
	if c == nil {
		c = a.newCall(d.Index, "")
	}
	if c.id == "" {
		c.id = d.ID
	}
	c.addName(d.Function.Name)
	c.addArguments(d.Function.Arguments)
	if d.rest != "" {
		c.extra = a.left.merge("", c.extra, gjson.Parse(d.rest))
	}
}

// orphan returns the call that a piece without a name belongs to, where its index is
// that of no call, or of c, whose arguments are whole: the one that has no arguments
// yet, and takes those of this index from now on. With several of these the answer
// is refused: a call must not run without its arguments, nor with another one's.
func (a *answer) orphan(c *callParts, d *deltaCall) *callParts {
	if strings.TrimSpace(d.Function.Arguments.string) == "" {
		return c
	}
	var bare *callParts
	for _, o := range a.calls {
		if o == c || o.name == "" || !o.bare() || d.ID != "" && d.ID != o.id {
			continue
		}
		a.stray = bare != nil
		bare = o
	}
	if bare == nil {
		return c
	}
	bare.index = d.Index
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
	case d.Index != nil && c.index != nil:
		return *d.Index == *c.index
	case d.ID != "":
		return d.ID == c.id
	}
	return latest && (d.Function.Name == "" || c.name == "")
}

// ended reports whether d begins another call although its index is the same:
// it has another id, or, where ids are missing, it brings a function and
// arguments when those of c are already whole.
func (c *callParts) ended(d *deltaCall) bool {
	if d.ID != "" && c.id != "" {
		return d.ID != c.id
	}
	return d.Function.Name != "" && strings.HasPrefix(d.Function.Arguments.string, "{") && c.nesting.closed()
}

package wire

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// MaxReply bounds a reply that is read, in bytes.
const MaxReply = 64 << 20

// Made is a call that a reply makes, or the result that a request has for one. Hosted
// says that the endpoint runs the tool itself, so that no request has a result. Last says
// that the result follows the last reply.
type Made struct {
	ID, Tool, Arguments string
	Hosted, Last        bool
}

// Turns is what a request says that belongs to a conversation.
type Turns struct {
	Model string
	// Tools says that some are on offer.
	Tools bool
	// First is what the user says before the model says anything. Thread is the id that the
	// agent gives the conversation, Previous that of the response that the request continues
	// without repeating it; both are empty for none.
	First, Thread, Previous string
	Results                 []Made
}

// Turns returns what the body of a request says, whatever else is wrong with it. The
// request came at that URL.
func (w *Wire) Turns(at *url.URL, body []byte) (t Turns) {
	t.Model, _, _ = strings.Cut(path.Base(at.Path), ":") // where the body has none
	gjson.ParseBytes(body).ForEach(func(name, v gjson.Result) bool {
		switch name.String() {
		case "model":
			t.Model = v.String()
		case "tools":
			t.Tools = len(v.Array()) > 0
		case "previous_response_id":
			t.Previous = v.String()
		case "client_metadata": // of codex, whose sub-agents may begin with the same messages
			t.Thread = v.Get("thread_id").String()
		case w.list:
			w.messages(&t, v)
		}
		return true
	})
	return t
}

// messages reads the messages of a request.
func (w *Wire) messages(t *Turns, list gjson.Result) {
	replied := false
	var first strings.Builder
	if list.Type == gjson.String {
		first.WriteString(list.String())
	}
	for _, message := range list.Array() {
		found, reply := w.results(message)
		if reply {
			replied = true
			for i := range t.Results {
				t.Results[i].Last = false
			}
		}
		for _, result := range found {
			result.Last = true
			t.Results = append(t.Results, result)
		}
		if !replied && message.Get("role").String() == "user" {
			first.WriteString(textOf(message.Get("content")) + textOf(message.Get("parts")))
		}
	}
	t.First = first.String()
}

// textOf returns the text of a message: agents change what else stands there from one
// request to the next.
func textOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	var b strings.Builder
	for _, part := range content.Array() {
		b.WriteString(part.Get("text").String())
	}
	return b.String()
}

func chatResults(m gjson.Result) (found []Made, reply bool) {
	if m.Get("role").String() == "tool" {
		found = append(found, Made{ID: m.Get("tool_call_id").String()})
	}
	return found, m.Get("role").String() == "assistant"
}

func responsesResults(item gjson.Result) (found []Made, reply bool) {
	kind := item.Get("type").String()
	if strings.HasSuffix(kind, "_call_output") {
		return []Made{{ID: item.Get("call_id").String()}}, false
	}
	return nil, strings.HasSuffix(kind, "_call") || item.Get("role").String() == "assistant"
}

func messageResults(m gjson.Result) (found []Made, reply bool) {
	for _, block := range m.Get("content").Array() {
		if block.Get("type").String() == "tool_result" {
			found = append(found, Made{ID: block.Get("tool_use_id").String()})
		}
	}
	return found, m.Get("role").String() == "assistant"
}

func geminiResults(m gjson.Result) (found []Made, reply bool) {
	for _, part := range m.Get("parts").Array() {
		for _, name := range []string{"functionResponse", "function_response"} {
			if result := part.Get(name); result.Exists() {
				found = append(found, Made{ID: result.Get("id").String(), Tool: result.Get("name").String()})
			}
		}
	}
	return found, m.Get("role").String() == "model"
}

// Answered is what a reply says.
type Answered struct {
	// ID is that of a response that later requests may continue, Model what answered.
	ID, Model string
	Calls     []Made
	Usage     Usage
	// Whole says that the reply reached its end.
	Whole bool
	// Unread says why it could not be read, empty where it could.
	Unread string
}

// Reader reads a reply while it comes. Of a stream it holds one event, and the calls.
type Reader struct {
	Answered
	wire *Wire
	// stream says that the reply is a stream of events, begun that this is known.
	stream, begun bool
	size          int
	held          []byte // a line that has not ended
	data          []byte // of an event that has not ended
	// cr says that the last line ended by CR, which LF may follow; read that something was
	// read.
	cr, read bool
	// open are calls of which pieces still come, by their place in the reply.
	open  map[int64]*pending
	order []*pending
}

type pending struct {
	Made
	pieces bytes.Buffer
}

// Read returns a reader of a reply with these headers, nil for what is no reply.
func (w *Wire) Read(status int, h http.Header) *Reader {
	if status != http.StatusOK {
		return nil
	}
	r := &Reader{wire: w, open: map[int64]*pending{}}
	if how := h.Get("Content-Encoding"); how != "" && how != "identity" {
		r.Unread = "a reply was compressed by " + how
	}
	return r
}

// Write takes the next piece of the reply; it never fails.
func (r *Reader) Write(p []byte) (int, error) {
	n := len(p)
	if r.size += n; r.size > MaxReply && r.Unread == "" {
		r.Unread = "a reply was too large"
	}
	if r.Unread != "" {
		r.held, r.order = nil, nil
		return n, nil
	}
	for len(p) > 0 {
		if r.cr && p[0] == '\n' { // of one line end
			r.cr, p = false, p[1:]
			continue
		}
		at := bytes.IndexAny(p, "\r\n")
		if at < 0 {
			r.cr, r.held = false, append(r.held, p...)
			break
		}
		r.held = append(r.held, p[:at]...)
		r.cr, p = p[at] == '\r', p[at+1:]
		if !r.single() {
			r.line(r.held)
			r.held = r.held[:0]
		}
	}
	return n, nil
}

// single reports whether a reply is one value, by how it begins, and no stream of events.
func (r *Reader) single() bool {
	if begin := bytes.TrimLeft(r.held[:min(len(r.held), 64)], " \t\r\n"); !r.begun && len(begin) > 0 {
		r.begun, r.stream = true, begin[0] != '{' && begin[0] != '['
	}
	return !r.stream
}

// line takes a line of a stream: the lines "data:" of an event are one value, and an empty
// line ends the event.
func (r *Reader) line(line []byte) {
	line = bytes.TrimSpace(line)
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok && len(line) > 0 {
		return
	}
	r.data = append(append(r.data, data...), '\n')
	switch value := bytes.TrimSpace(r.data); {
	case len(value) > 0 && gjson.ValidBytes(value):
		r.read = true
		r.wire.answer(r, gjson.ParseBytes(value))
	case ok:
		return
	case len(value) > 0 && string(value) != "[DONE]":
		r.Unread = cmp.Or(r.Unread, notJSON)
	}
	r.data = r.data[:0]
}

// notJSON says that a reply, or an event of it, cannot be read.
const notJSON = "a reply was no JSON"

// Close ends the reply and returns what it said. Cut says that it broke off.
func (r *Reader) Close(cut bool) Answered {
	switch whole := gjson.ParseBytes(r.held); {
	case !r.single():
		r.line(r.held)
		if !cut {
			r.line(nil)
		}
	case whole.IsArray() && gjson.ValidBytes(r.held):
		r.read = true
		for _, part := range whole.Array() {
			r.wire.answer(r, part)
		}
	case gjson.ValidBytes(r.held):
		r.read = true
		r.wire.answer(r, whole)
	}
	if !r.read && !cut {
		r.Unread = cmp.Or(r.Unread, notJSON)
	}
	r.held, r.data = nil, nil
	for _, p := range r.order {
		p.Arguments = cmp.Or(p.pieces.String(), p.Arguments)
		r.Calls = append(r.Calls, p.Made)
	}
	r.Whole = r.Whole && !cut && r.Unread == ""
	return r.Answered
}

// call returns the call at a place of the reply, which begins with its first piece.
func (r *Reader) call(at int64) *pending {
	if r.open[at] == nil {
		r.open[at] = &pending{}
		r.order = append(r.order, r.open[at])
	}
	return r.open[at]
}

// add takes a call that comes whole; one that has been there is the same.
func (r *Reader) add(m Made) {
	for _, p := range r.order {
		if m.ID != "" && p.ID == m.ID {
			return
		}
	}
	r.order = append(r.order, &pending{Made: m})
}

// counts are the members of an API that count tokens: input, output, total and cached ones,
// each the sum of several of which the first must be there.
type counts [4][]string

// maxCount is the largest count that JSON numbers hold exactly.
const maxCount = 1 << 53

// take takes the counts of a usage. What comes later replaces what came before; with a
// number that cannot be a count no usage is known.
func (r *Reader) take(usage gjson.Result) {
	for i, to := range []**int64{&r.Usage.Input, &r.Usage.Output, &r.Usage.Total, &r.Usage.Cached} {
		names := r.wire.counts[i]
		if names == nil || usage.Get(names[0]).Type != gjson.Number {
			continue
		}
		total := int64(0)
		for _, name := range names {
			n := usage.Get(name)
			if n.Num < 0 || n.Num > maxCount {
				r.Usage = Usage{}
				return
			}
			total += n.Int()
		}
		*to = &total
	}
}

func readChat(r *Reader, v gjson.Result) {
	r.Model = cmp.Or(v.Get("model").String(), r.Model)
	r.take(v.Get("usage"))
	for _, choice := range v.Get("choices").Array() {
		for _, name := range []string{"delta.tool_calls", "message.tool_calls"} {
			for i, c := range choice.Get(name).Array() {
				at := int64(i)
				if index := c.Get("index"); index.Exists() {
					at = index.Int()
				}
				p := r.call(choice.Get("index").Int()<<32 + at)
				p.ID = cmp.Or(p.ID, c.Get("id").String())
				p.Tool = cmp.Or(p.Tool, c.Get("function.name").String(), c.Get("custom.name").String())
				p.pieces.WriteString(c.Get("function.arguments").String() + c.Get("custom.input").String())
			}
		}
		r.Whole = r.Whole || choice.Get("finish_reason").String() != ""
	}
}

func readResponses(r *Reader, v gjson.Result) {
	response := v
	if r.stream {
		r.item(v.Get("item"), v.Get("type").String() == "response.output_item.done")
		response = v.Get("response")
	}
	for _, item := range response.Get("output").Array() {
		r.item(item, true)
	}
	r.ID = cmp.Or(response.Get("id").String(), r.ID)
	r.Model = cmp.Or(response.Get("model").String(), r.Model)
	switch response.Get("status").String() {
	case "completed", "incomplete":
		r.Whole = true
	}
	r.take(response.Get("usage"))
}

// item takes an item of a response, which is a call by its type.
func (r *Reader) item(item gjson.Result, done bool) {
	kind, isCall := strings.CutSuffix(item.Get("type").String(), "_call")
	if !isCall || !done {
		return
	}
	m := Made{ID: item.Get("call_id").String(), Tool: item.Get("name").String()}
	m.Arguments = cmp.Or(item.Get("arguments").String(), item.Get("input").String(), item.Get("action").Raw)
	if m.ID == "" {
		m.ID, m.Hosted = item.Get("id").String(), true
	}
	if space := item.Get("namespace").String(); strings.HasPrefix(space, "mcp__") {
		m.Tool = strings.TrimSuffix(space, "__") + "__" + m.Tool
	}
	m.Tool = cmp.Or(m.Tool, kind)
	r.add(m)
}

func readMessage(r *Reader, v gjson.Result) {
	message := v
	if r.stream {
		message = v.Get("message")
		p := v.Get("content_block")
		switch v.Get("type").String() {
		case "content_block_start":
			if isUse, hosted := use(p); isUse {
				*r.call(v.Get("index").Int()) = pending{Made: Made{ID: p.Get("id").String(), Tool: p.Get("name").String(), Arguments: p.Get("input").Raw, Hosted: hosted}}
			}
		case "content_block_delta":
			if c := r.open[v.Get("index").Int()]; c != nil {
				c.pieces.WriteString(v.Get("delta.partial_json").String())
			}
		case "message_stop":
			r.Whole = true
		}
		r.take(v.Get("usage"))
	}
	for _, block := range message.Get("content").Array() {
		if isUse, hosted := use(block); isUse {
			r.add(Made{ID: block.Get("id").String(), Tool: block.Get("name").String(), Arguments: block.Get("input").Raw, Hosted: hosted})
		}
	}
	r.Model = cmp.Or(message.Get("model").String(), r.Model)
	r.Whole = r.Whole || message.Get("stop_reason").String() != ""
	r.take(message.Get("usage"))
}

// use reports whether a block of a message is a call, and whether the endpoint runs it.
func use(block gjson.Result) (isUse, hosted bool) {
	kind := block.Get("type").String()
	return strings.HasSuffix(kind, "tool_use"), kind != "tool_use"
}

func readGemini(r *Reader, v gjson.Result) {
	r.Model = cmp.Or(v.Get("modelVersion").String(), r.Model)
	r.take(v.Get("usageMetadata"))
	for _, candidate := range v.Get("candidates").Array() {
		for _, part := range candidate.Get("content.parts").Array() {
			if c := part.Get("functionCall"); c.Exists() {
				r.add(Made{ID: c.Get("id").String(), Tool: c.Get("name").String(), Arguments: cmp.Or(c.Get("args").Raw, "{}")})
			}
		}
		r.Whole = r.Whole || candidate.Get("finishReason").String() != ""
	}
}

// Sum adds the counts of another usage; what is unknown counts as nothing.
func (u *Usage) Sum(other Usage) {
	other = other.whole()
	for _, c := range []struct {
		to **int64
		n  *int64
	}{{&u.Input, other.Input}, {&u.Output, other.Output}, {&u.Total, other.Total}, {&u.Cached, other.Cached}} {
		if c.n != nil {
			*c.to = new(*cmp.Or(*c.to, new(int64)) + *c.n)
		}
	}
}

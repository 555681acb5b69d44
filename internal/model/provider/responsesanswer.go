package provider

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// readResponseEvent adds an event to an answer; the event that ends the
// response is the last.
func readResponseEvent(a *answer, data []byte) (done bool, failure *chat.Failure) {
	e := gjson.ParseBytes(data)
	valid, kind := json.Valid(data) && (e.IsObject() || !hasValue(e)), e.Get("type").String()
	if status, r := endOf(e); status != "" && valid {
		a.events++
		return true, a.endResponse(status, r)
	}
	// It has a member for an error, or is no event of this API.
	if hasValue(e.Get("error")) || !strings.HasPrefix(kind, "response.") {
		if said, ok := findError(data); ok {
			a.said = said
			return false, said.failure(requestRefused())
		}
	}
	if !valid {
		return false, a.unreadable()
	}
	a.events++
	at, id := indexOf(e.Get("output_index")), e.Get("item_id").String()
	switch kind {
	case eventText:
		a.add(textOf(e.Get("delta")))
	case eventRefusal:
		a.refuse(textOf(e.Get("delta")))
	case eventItem, eventItemDone:
		a.addItem(itemOf(e.Get("item")), at, kind == eventItemDone)
	case eventArguments:
		if c := a.callAt(at, id); !c.whole {
			c.addArguments(argumentsOf(e.Get("delta")))
		}
	case eventWhole:
		a.callAt(at, id).replace(argumentsOf(e.Get("arguments")))
	}
	return false, nil
}

// addItem takes in an item at a place as it begins or, done, as it is whole. A text comes
// as deltas, and only what stands beside it is taken.
func (a *answer) addItem(item *outputItem, at *int, done bool) {
	switch {
	case item.kind == itemMessage:
		a.mergeExtra(item, &a.extra, &a.before)
	case item.kind == itemReasoning && done:
		a.think(item.thought)
	}
	if item.kind != itemCall {
		return
	}
	c := a.findCall(at, item.id)
	if c == nil || (!done || c.whole) && !c.begunBy(item) {
		c = a.newCall(at, item.id)
	}
	c.merge(item)
	c.whole = done
	a.mergeExtra(item, &c.extra, &c.before)
}

// think holds a thought for the item that follows it.
func (a *answer) think(item json.RawMessage) {
	a.extraCame = true
	a.left.bytes -= len(item)
	a.left.values--
	if !a.left.spent() {
		a.thoughts = append(a.thoughts, item)
	}
}

// mergeExtra adds what an item has beside what is known, and the thoughts
// that came before it.
func (a *answer) mergeExtra(item *outputItem, members *any, before *[]json.RawMessage) {
	if item.rest != "" {
		*members = a.left.merge("", nil, gjson.Parse(item.rest))
	}
	if *before == nil {
		*before, a.thoughts = a.thoughts, nil
	}
}

// begunBy reports whether c is the call of an item: it has its id, or nothing
// but pieces that came before the item was told of.
func (c *callParts) begunBy(item *outputItem) bool {
	if c.id == "" {
		return c.name == ""
	}
	return c.id == item.callID
}

// merge adds what an item says of a call; what is known already stays, but for
// arguments, which an item has as a whole.
func (c *callParts) merge(item *outputItem) {
	if c.id == "" {
		c.id = item.callID
	}
	if c.name == "" {
		c.name = item.name
	}
	c.replace(item.arguments)
}

// replace puts whole arguments in the place of the pieces that have come.
func (c *callParts) replace(whole text) {
	if whole.string != "" {
		c.arguments.Reset()
		c.joiner = joiner{}
		c.arguments.WriteString(whole.string)
	}
}

// callAt returns the call that a piece belongs to, a new one if there is none.
func (a *answer) callAt(at *int, item string) *callParts {
	if c := a.findCall(at, item); c != nil {
		return c
	}
	return a.newCall(at, item)
}

// findCall returns the call at a place of the output, or with that item id
// where places are not told. The latest is looked at first: it is the one that
// is meant by endpoints that give every item the same place.
func (a *answer) findCall(index *int, item string) *callParts {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		same := c.item == item
		if index != nil && c.index != nil {
			same = *c.index == *index
		}
		if same {
			return c
		}
	}
	return nil
}

// endResponse takes in the end of a response.
func (a *answer) endResponse(status string, r gjson.Result) *chat.Failure {
	if u := r.Get("usage"); hasValue(u) {
		a.usage = usageOf(u, "input_tokens", "output_tokens")
	}
	if status == "failed" {
		said, _ := readError(r.Get("error"))
		a.said = cmp.Or(said, &reported{})
		return a.said.failure(requestRefused())
	}
	a.fill(r.Get("output"))
	if status == "incomplete" {
		return a.cutShort(r.Get("incomplete_details.reason").String())
	}
	a.finish = chat.FinishStop
	if len(a.calls) > 0 {
		a.finish = "tool_calls"
	}
	return nil
}

// cutShort says what it means that a response ended early. A reason that is
// not known is none to take the part for the whole.
func (a *answer) cutShort(reason string) *chat.Failure {
	a.finish = reason
	switch known, _ := chat.FinishReason(reason); known {
	case chat.FinishLength, chat.FinishFilter:
		return nil
	}
	return a.endedEarly()
}

// fill takes from the whole output what did not come in pieces before.
func (a *answer) fill(output gjson.Result) {
	a.addText(a.joiner.end())
	noText, noRefusal, noCalls, noExtra := a.text.Len() == 0, !a.refused, len(a.calls) == 0, !a.extraCame
	for v := range output.Values() {
		item := itemOf(v)
		if item.kind == itemCall && noCalls {
			a.newCall(nil, item.id).merge(item)
		}
		if noExtra {
			a.fillExtra(item)
		}
		for part := range item.content.Values() {
			if refusal := textOf(part.Get("refusal")); noRefusal && refusal.string != "" {
				a.refuse(refusal)
			}
			if noText && item.kind == itemMessage {
				a.add(textOf(part.Get("text")))
			}
		}
	}
}

// fillExtra takes from an item of the whole output what did not come before.
func (a *answer) fillExtra(item *outputItem) {
	switch item.kind {
	case itemReasoning:
		a.think(item.thought)
	case itemMessage:
		a.mergeExtra(item, &a.extra, &a.before)
	case itemCall:
		for _, c := range a.calls {
			if c.id == item.callID {
				a.mergeExtra(item, &c.extra, &c.before)
			}
		}
	}
}

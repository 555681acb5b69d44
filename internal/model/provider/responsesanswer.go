package provider

import (
	"cmp"
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// readResponseEvent adds an event to an answer; the event that ends the
// response is the last.
func readResponseEvent(a *answer, data []byte) (done bool, failure *chat.Failure) {
	var e responseEvent
	err := json.Unmarshal(data, &e)
	if status, r := e.end(); status != "" && err == nil {
		a.events++
		return true, a.endResponse(status, r)
	}
	if e.mayBeError() {
		if said, ok := findError(data); ok {
			a.said = said
			return false, said.failure(requestRefused())
		}
	}
	if err != nil {
		return false, a.unreadable()
	}
	a.events++
	switch e.Type {
	case eventText:
		a.add(e.Delta)
	case eventRefusal:
		a.refuse(e.Delta)
	case eventItem, eventItemDone:
		a.addItem(&e)
	case eventArguments:
		if c := a.callAt(&e); !c.whole {
			c.addArguments(arguments(e.Delta))
		}
	case eventWhole:
		a.callAt(&e).replace(e.Arguments)
	}
	return false, nil
}

// addItem takes in an item as it begins or as it is whole. A text comes as
// deltas, and only what stands beside it is taken.
func (a *answer) addItem(e *responseEvent) {
	switch {
	case e.Item.Type == itemMessage:
		a.mergeExtra(&e.Item, &a.extra, &a.before)
	case e.Item.Type == itemReasoning && e.Type == eventItemDone:
		a.think(e.Item.thought)
	}
	if e.Item.Type != itemCall {
		return
	}
	c := a.findCall(e.OutputIndex, e.Item.ID)
	if c == nil || (e.Type == eventItem || c.whole) && !c.begunBy(&e.Item) {
		c = a.newCall(e.OutputIndex, e.Item.ID)
	}
	c.merge(&e.Item)
	c.whole = e.Type == eventItemDone
	a.mergeExtra(&e.Item, &c.extra, &c.before)
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
	return c.id == item.CallID
}

// merge adds what an item says of a call; what is known already stays, but for
// arguments, which an item has as a whole.
func (c *callParts) merge(item *outputItem) {
	if c.id == "" {
		c.id = item.CallID
	}
	if c.name == "" {
		c.name = item.Name
	}
	c.replace(item.Arguments)
}

// replace puts whole arguments in the place of the pieces that have come.
func (c *callParts) replace(whole arguments) {
	if whole.string != "" {
		c.arguments.Reset()
		c.joiner = joiner{}
		c.arguments.WriteString(whole.string)
	}
}

// callAt returns the call that a piece belongs to, a new one if there is none.
func (a *answer) callAt(e *responseEvent) *callParts {
	if c := a.findCall(e.OutputIndex, e.ItemID); c != nil {
		return c
	}
	return a.newCall(e.OutputIndex, e.ItemID)
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
func (a *answer) endResponse(status string, r *response) *chat.Failure {
	if u := r.Usage; u != nil {
		a.usage = chat.Usage{
			Input: u.Input.n, Output: u.Output.n, Total: u.Total.n, CachedInput: u.Details.Cached.n,
			Reasoning: u.OutputDetails.Reasoning.n,
		}
	}
	if status == "failed" {
		said, _ := readError(r.Error)
		a.said = cmp.Or(said, &reported{})
		return a.said.failure(requestRefused())
	}
	a.fill(r.Output)
	if status == "incomplete" {
		return a.cutShort(r.Incomplete.Reason)
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
func (a *answer) fill(output []outputItem) {
	a.addText(a.joiner.end())
	noText, noRefusal, noCalls, noExtra := a.text.Len() == 0, !a.refused, len(a.calls) == 0, !a.extraCame
	for i := range output {
		item := &output[i]
		if item.Type == itemCall && noCalls {
			a.newCall(nil, item.ID).merge(item)
		}
		if noExtra {
			a.fillExtra(item)
		}
		for _, part := range item.Content {
			if noRefusal && part.Refusal.string != "" {
				a.refuse(part.Refusal)
			}
			if noText && item.Type == itemMessage {
				a.add(part.Text)
			}
		}
	}
}

// fillExtra takes from an item of the whole output what did not come before.
func (a *answer) fillExtra(item *outputItem) {
	switch item.Type {
	case itemReasoning:
		a.think(item.thought)
	case itemMessage:
		a.mergeExtra(item, &a.extra, &a.before)
	case itemCall:
		for _, c := range a.calls {
			if c.id == item.CallID {
				a.mergeExtra(item, &c.extra, &c.before)
			}
		}
	}
}

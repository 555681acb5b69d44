package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
)

// Call is a tool call as the source has it.
type Call struct {
	ID   string    // the source's own, empty for none
	Tool string    // empty when the source does not say
	Args raw.Value // JSON as it is written, empty when the source does not say
	// Agent is the sub-agent that made the call, by the id of the call that started it
	// or by one of its own; empty for the main loop.
	Agent string

	unseen bool // is not in the source
}

// CallState is what became of a call so far.
type CallState struct {
	// Tool is nil when the source does not say.
	Tool *string
	// Told says that a converter has reported all that it knows of the call.
	Told   bool
	id     *string // in our stream
	stage  stage
	denied bool      // why it is over
	listed bool      // as denied, after it was shown as run
	held   time.Time // begin of a call whose start is printed with its result
	isHeld bool
	text   [2]string // what id and Tool point to
}

// stage is how far a call is: it goes through them in this order, or from
// detected to over.
type stage int

const (
	detected stage = iota
	allowed
	running
	over // finished, or denied
)

// Undecided reports whether all that is known of a call is that it was asked for.
func (l *CallState) Undecided() bool { return l.stage == detected }

// Over reports whether a call finished, or was denied.
func (l *CallState) Over() bool { return l.stage == over }

// Denied reports whether a call was denied.
func (l *CallState) Denied() bool { return l.denied }

// What most events say of calls; nobody writes to these.
var native, complete, allow, inferred, wire = new("native"), new("complete"), new("allow"), new("inferred"), new("wire")

// maxOver bounds the calls that are remembered after their end.
const maxOver = 4096

// Detect prints that the model asked for a call. One that is under way already
// is not asked for again; calls without an id are never the same.
func (e *Emitter) Detect(c Call) *CallState {
	switch l := e.calls[c.ID]; {
	case l == nil:
	case l.stage == over:
		e.finished--
	case c.ID != "":
		return l
	}
	for i, p := range e.postponed {
		if p.ID == c.ID {
			c.Tool, e.postponed = cmp.Or(c.Tool, p.Tool), slices.Delete(e.postponed, i, i+1)
			break
		}
	}
	e.Begin()
	e.detected++
	// A call that began before the source's last word is only reported late.
	if e.closed && c.Agent == "" && (e.LineTime.IsZero() || !e.LineTime.Before(e.endTime)) {
		e.late = e.line
	}
	l := &CallState{text: [2]string{e.callID(c.ID), e.name(c.Tool)}}
	l.id = &l.text[0]
	if c.Tool != "" {
		l.Tool = &l.text[1]
	}
	e.calls[c.ID] = l
	e.open = append(e.open, l)
	d := schema.ToolCallDetected{
		ToolCallID: l.id, Tool: l.Tool, Source: native, Status: complete,
		ArgumentsPreview: schema.Null[string](), ArgumentsBytes: schema.Null[int64](), ParentCallID: e.parent(c.Agent),
	}
	if c.unseen { // what was said last is not the text before it
		d.Source, d.TextPreview, d.TextBytes = wire, schema.Null[string](), schema.Null[int64]()
	} else if d.TextPreview, d.TextBytes = e.told(c.Agent); e.o.Witness != nil {
		e.o.Witness.Called(c)
	}
	if len(c.Args) > 0 {
		d.ArgumentsPreview = schema.Some(e.masked(string(c.Args), schema.MaxPreviewBytes))
		d.ArgumentsBytes = schema.Some(int64(len(c.Args)))
	}
	e.emit(schema.TypeToolCallDetected, &d)
	return l
}

// Say notes a piece of what the model said, in the main loop or as a sub-agent, for
// the call that follows.
func (e *Emitter) Say(agent, piece string) {
	if len(e.said) < maxNames || e.said[agent] != nil {
		piece, _ = clip.Prefix(piece, MaxFinal-e.saidBytes)
		e.saidBytes += len(piece)
		e.said[agent] = append(e.said[agent], piece...)
	}
}

// told returns what was said since the call before, and its size.
func (e *Emitter) told(agent string) (schema.Optional[string], schema.Optional[int64]) {
	e.saidBytes -= len(e.said[agent])
	said := strings.TrimSpace(string(e.said[agent]))
	delete(e.said, agent)
	if said == "" {
		return schema.Null[string](), schema.Null[int64]()
	}
	said = e.masked(said, schema.MaxTextBytes)
	return schema.Some(said), schema.Some(int64(len(said)))
}

// StartAgent notes the call that started a sub-agent with an id of its own.
func (e *Emitter) StartAgent(agent, call string) {
	if len(e.parents) < maxNames {
		e.parents[agent] = call
	}
}

// parent returns the id of the call that started a sub-agent, null where the source
// does not say.
func (e *Emitter) parent(agent string) schema.Optional[string] {
	if l := e.calls[cmp.Or(e.parents[agent], agent)]; agent != "" && l != nil {
		return schema.Some(*l.id)
	}
	return schema.Null[string]()
}

// callID returns the id of a call in our stream: the source's, or one of ours
// where that has none, or one that the contract cannot carry.
func (e *Emitter) callID(id string) string {
	if id == "" || len(id) > schema.MaxStringBytes {
		id = fmt.Sprintf("call_%d_%d", e.Step, e.detected-1)
	}
	return id
}

// allow prints the decision that a call which ran must have had: no agent of ours
// was asked.
func (e *Emitter) allow(l *CallState) {
	e.Decide(l, schema.ToolDecision{Decision: allow, Source: inferred})
}

// Decide prints what the source says of a decision about a call. One that was
// denied is over.
func (e *Emitter) Decide(l *CallState, d schema.ToolDecision) {
	if l.stage != detected {
		return
	}
	l.stage = allowed
	d.ToolCallID, d.Tool = l.id, l.Tool
	if d.Reason != nil {
		d.Reason = new(e.masked(*d.Reason, schema.MaxReasonBytes))
	}
	e.rename(&d.Source)
	e.emit(schema.TypeToolDecision, &d)
	if d.Decision != nil && *d.Decision == "deny" {
		e.Remove(l)
		l.denied = true
		e.denied++
	}
}

// startTool prints that a call begins to run.
func (e *Emitter) startTool(l *CallState) {
	if l.stage == detected {
		e.allow(l)
	}
	if l.stage != allowed {
		return
	}
	l.stage = running
	e.emit(schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: l.id, Tool: l.Tool})
}

// Lookup returns the life of the call of that id, nil for a call that is not known.
func (e *Emitter) Lookup(id string) *CallState { return e.calls[id] }

// LookupOrDetect returns the life of a call of which the source says more, also when it
// never said that it was asked for.
func (e *Emitter) LookupOrDetect(c Call) *CallState {
	if l := e.calls[c.ID]; l != nil {
		return l
	}
	return e.Detect(c)
}

// Unobserved prints that nobody observed whether a call ran, and counts it.
func (e *Emitter) Unobserved(l *CallState, reason string) {
	e.Decide(l, schema.ToolDecision{Source: new(e.agent.Name), Reason: &reason})
	e.Remove(l)
	e.leftOpen++
}

// Run prints that the model asked for a call, which was allowed and begins to run.
func (e *Emitter) Run(c Call) { e.startTool(e.Detect(c)) }

// Postpone notes a call that runs and whose arguments show at its end. It is printed
// then, or at the end of the source with what is known.
func (e *Emitter) Postpone(c Call) {
	c.Args = nil
	e.postponed = append(e.postponed, c)
}

// Hold prints that the model asked for a call, which begins to run unless its agent
// denies it: that shows only with the result, so decision and start wait for it.
func (e *Emitter) Hold(c Call) {
	l := e.Detect(c)
	l.held, l.isHeld = e.LineTime, true
}

// Deny prints that the agent denied a call, by its own words. Source is the agent
// where it names none. A call that is running or over is left as it is.
func (e *Emitter) Deny(l *CallState, source, reason *string) {
	if source == nil {
		source = new(e.agent.Name)
	}
	e.Decide(l, schema.ToolDecision{Decision: new("deny"), Source: source, Reason: reason})
}

// DenyListed takes a call from the list of denials in the last line. One that was
// shown as run stays so, which is noted once.
func (e *Emitter) DenyListed(c Call) {
	late := e.late
	l := e.LookupOrDetect(c)
	e.late = late // the list calls nothing
	if e.Deny(l, nil, nil); l.denied || l.listed {
		return
	}
	l.listed = true
	e.denied++
	e.note(Fact{e.line, LateDenial, l.text[0]})
}

// FinishTool prints how a call ended. What the source left out before is printed
// first; a call that is over does not end again. The text of r becomes the event's.
func (e *Emitter) FinishTool(c Call, r schema.ToolExecFinished) {
	l := e.LookupOrDetect(c)
	if l.stage == over {
		return
	}
	e.startTool(l)
	if elapsed := e.LineTime.Sub(l.held); !l.held.IsZero() && elapsed >= 0 {
		r.DurationMS = schema.Some(elapsed.Milliseconds())
	}
	e.printFinish(l, r)
}

func (e *Emitter) printFinish(l *CallState, r schema.ToolExecFinished) {
	r.ToolCallID, r.Tool = l.id, l.Tool
	if r.ContentPreview != nil {
		*r.ContentPreview = e.masked(*r.ContentPreview, schema.MaxPreviewBytes)
	}
	e.emit(schema.TypeToolExecFinished, &r)
	e.Remove(l)
}

// Remove notes that a call is over, and that nothing more is to be reported of it.
func (e *Emitter) Remove(l *CallState) {
	if l.stage == over {
		return
	}
	l.stage = over
	for i, other := range e.open {
		if other == l {
			e.open = append(e.open[:i], e.open[i+1:]...)
			break
		}
	}
	if e.finished++; e.finished > maxOver {
		for id, l := range e.calls {
			if l.stage == over {
				delete(e.calls, id)
			}
		}
		e.finished = 0
	}
}

// Witness saw what the model asked for.
type Witness interface {
	// Called gets each call of the source. Its Args are valid during the call.
	Called(Call)
	// Compare is called once, at the end of the source, with the usage that it reports, nil
	// for none.
	Compare(used *schema.Usage) Seen
}

// Seen is what a witness knows that the source does not say.
type Seen struct {
	// Calls are those with a result that the source does not have, in the order of results.
	Calls []Call
	// Usage replaces that of the source, unless nil. Stopped is as in End.
	Usage   *schema.Usage
	Stopped *Terminal
}

// compare returns what the witness knows besides, with all calls of the source printed.
func (e *Emitter) compare() (s Seen) {
	late := e.late
	for len(e.postponed) > 0 {
		e.Run(e.postponed[0])
	}
	e.late = late
	if e.o.Witness != nil {
		s = e.o.Witness.Compare(e.Usage)
		e.Usage = cmp.Or(s.Usage, e.Usage)
	}
	return s
}

// addUnseen prints calls that the source does not have. Whether they ran is not known.
func (e *Emitter) addUnseen(calls []Call) {
	for _, c := range calls {
		c.unseen = true
		l := e.Detect(c)
		e.Decide(l, schema.ToolDecision{Source: wire, Reason: new("the agent's own stream does not show this call")})
		e.Remove(l)
	}
}

// closeRunning ends the calls that ran, or are held, when the source ended.
func (e *Emitter) closeRunning(torn bool) {
	kind := "interrupted"
	if torn {
		kind = "torn_line"
	}
	for len(e.open) > 0 {
		l := e.open[0]
		if l.isHeld {
			e.startTool(l)
		}
		if l.stage != running {
			e.Remove(l)
			continue
		}
		e.printFinish(l, schema.ToolExecFinished{OK: new(false), Status: new("error"), ErrorKind: schema.Some(kind)})
	}
}

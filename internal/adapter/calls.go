package adapter

import (
	"fmt"

	"github.com/openagent-ci/openagent/schema"
)

// call is a tool call as the source has it.
type call struct {
	id   string // the source's own, empty for none
	tool string // empty when the source does not say
	args value  // JSON as it is written, empty when the source does not say
}

// life is what became of a call so far.
type life struct {
	id    *string // in our stream
	tool  *string
	stage stage
	// denied says why it is over.
	denied bool
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

// What most events say of calls; nobody writes to these.
var native, complete, allow, inferred = new("native"), new("complete"), new("allow"), new("inferred")

// maxOver bounds the calls that are remembered after their end.
const maxOver = 4096

// detect prints that the model asked for a call. One that is under way already
// is not asked for again; calls without an id are never the same.
func (e *emitter) detect(c call) *life {
	switch l := e.calls[c.id]; {
	case l == nil:
	case l.stage == over:
		e.finished--
	case c.id != "":
		return l
	}
	e.begin()
	e.detected++
	l := &life{id: e.callID(c.id)}
	if c.tool != "" {
		l.tool = new(c.tool)
	}
	e.calls[c.id] = l
	e.open = append(e.open, l)
	d := schema.ToolCallDetected{
		ToolCallID: l.id, Tool: l.tool, Source: native, Status: complete,
		ArgumentsPreview: schema.Null[string](), ArgumentsBytes: schema.Null[int64](),
	}
	if len(c.args) > 0 {
		d.ArgumentsPreview = schema.Some(e.masked(string(c.args), schema.MaxPreviewBytes))
		d.ArgumentsBytes = schema.Some(int64(len(c.args)))
	}
	e.emit(schema.TypeToolCallDetected, &d)
	return l
}

// callID returns the id of a call in our stream: the source's, or one of ours
// where that has none, or one that the contract cannot carry.
func (e *emitter) callID(id string) *string {
	if id == "" || len(id) > schema.MaxStringBytes {
		id = fmt.Sprintf("call_%d_%d", e.step, e.detected-1)
	}
	return &id
}

// allow prints the decision that a call which ran must have had: no agent of ours
// was asked.
func (e *emitter) allow(l *life) {
	e.decide(l, schema.ToolDecision{Decision: allow, Source: inferred})
}

// decide prints what the source says of a decision about a call. One that was
// denied is over.
func (e *emitter) decide(l *life, d schema.ToolDecision) {
	if l.stage != detected {
		return
	}
	l.stage = allowed
	d.ToolCallID, d.Tool = l.id, l.tool
	if d.Reason != nil {
		d.Reason = new(e.masked(*d.Reason, schema.MaxReasonBytes))
	}
	e.emit(schema.TypeToolDecision, &d)
	if d.Decision != nil && *d.Decision == "deny" {
		l.denied = true
		e.remove(l)
	}
}

// startTool prints that a call begins to run.
func (e *emitter) startTool(l *life) {
	if l.stage == detected {
		e.allow(l)
	}
	if l.stage != allowed {
		return
	}
	l.stage = running
	e.emit(schema.TypeToolExecStarted, &schema.ToolExecStarted{ToolCallID: l.id, Tool: l.tool})
}

// known returns the life of a call of which the source tells more, also when it
// never said that it was asked for.
func (e *emitter) known(c call) *life {
	if l := e.calls[c.id]; l != nil {
		return l
	}
	return e.detect(c)
}

// leave prints that nobody observed whether a call ran, and counts it.
func (e *emitter) leave(l *life, reason string) {
	e.decide(l, schema.ToolDecision{Source: new(e.agent.Name), Reason: &reason})
	e.remove(l)
	e.leftOpen++
}

// run is detect, allow and startTool at once.
func (e *emitter) run(c call) { e.startTool(e.detect(c)) }

// finishTool prints how a call ended. What the source left out before is printed
// first; a call that is over does not end again.
func (e *emitter) finishTool(c call, r schema.ToolExecFinished) {
	l := e.known(c)
	if l.stage == over {
		return
	}
	e.startTool(l)
	e.printFinish(l, r)
}

func (e *emitter) printFinish(l *life, r schema.ToolExecFinished) {
	r.ToolCallID, r.Tool = l.id, l.tool
	if r.ContentPreview != nil {
		r.ContentPreview = new(e.masked(*r.ContentPreview, schema.MaxPreviewBytes))
	}
	e.emit(schema.TypeToolExecFinished, &r)
	e.remove(l)
}

// remove notes that a call is over.
func (e *emitter) remove(l *life) {
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

// closeRunning ends the calls that still ran when the source ended.
func (e *emitter) closeRunning(torn bool) {
	kind := "interrupted"
	if torn {
		kind = "torn_line"
	}
	kept := e.terminal
	for len(e.open) > 0 {
		l := e.open[0]
		if l.stage != running {
			e.remove(l)
			continue
		}
		e.printFinish(l, schema.ToolExecFinished{OK: new(false), Status: new("error"), ErrorKind: schema.Some(kind)})
	}
	e.terminal = kept
}

package validate

import (
	"github.com/openagent-ci/openagent/schema"
)

// checkFlow tries the rules about the order of a tool call's events. It
// returns findings of earlier lines: starts that can no longer be finished.
func (s *run) checkFlow(r *report, e *facts) []Finding {
	if e.callID == nil {
		return nil
	}
	c := s.calls.get(e.callID)
	switch e.typ {
	case schema.TypeToolCallDetected:
		return c.restart(r, e.callID, undecided)
	case schema.TypeToolDecision:
		switch e.decision {
		case decisionAllow:
			return c.restart(r, e.callID, allowed)
		case decisionDeny:
			return c.restart(r, e.callID, denied)
		}
	case schema.TypeToolExecStarted:
		unknown := c.unknown
		late := c.restart(r, e.callID, c.decision)
		c.unknown = unknown
		c.start(r, e.callID)
		return late
	case schema.TypeToolExecFinished:
		c.finish(r, e.callID)
	}
	return nil
}

// The decisions that take part in these rules.
const (
	decisionAllow = "allow"
	decisionDeny  = "deny"
)

// restart begins a new life of the id; a start before it stays unfinished.
func (c *call) restart(r *report, id []byte, decided decision) (late []Finding) {
	if c.started > 0 {
		late = unfinished(c.started, quote(string(id)), r.strict)
	}
	*c = call{decision: decided}
	return late
}

// start notes a start, and that it should not have been.
func (c *call) start(r *report, id []byte) {
	c.started = r.line
	switch {
	case c.decision == denied:
		r.addMessage(flowExecAfterDeny, 0, "the call "+quote(string(id))+" was denied and starts", "started", "not started")
	case c.decision == undecided && !c.unknown:
		r.addMessage(flowStartWithoutDecision, 0, "the call "+quote(string(id))+" starts, want a decision allow first",
			"no decision", "allow")
	}
}

// finish ends a start. That a denied call finishes says more than that it
// never started.
func (c *call) finish(r *report, id []byte) {
	switch {
	case c.decision == denied:
		r.addMessage(flowExecAfterDeny, 0, "the call "+quote(string(id))+" was denied and finishes", "finished", "not started")
	case c.started == 0 && !c.unknown:
		r.addMessage(flowFinishWithoutStart, 0, "the call "+quote(string(id))+" finishes, want a start first", "no start", "a start")
	}
	c.started = 0
}

// unfinished returns the findings of all calls that are still running, by
// their lines.
func (s *run) unfinished(strict bool) (late []Finding) {
	for _, calls := range []map[string]*call{s.calls.old, s.calls.young} {
		for key, c := range calls {
			if c.started > 0 {
				late = append(late, unfinished(c.started, callName(key), strict)...)
			}
		}
	}
	Sort(late)
	return late
}

// unfinished returns the finding of a start at a line that has passed, of the
// call that messages know by that name.
func unfinished(line int, name string, strict bool) []Finding {
	r := &report{line: line, strict: strict}
	r.addMessage(flowUnfinishedTool, 0, "the call "+name+" started here and never finished", "no end", "tool_exec_finished")
	return r.findings
}

package validate

import "github.com/openagent-ci/openagent/schema"

// checkFlow tries the rules about the order of a tool call's events. It
// returns findings of earlier lines: starts that can no longer be finished.
func (s *run) checkFlow(r *report, e *event) []Finding {
	id, ok := e.data["tool_call_id"].(string)
	if !ok {
		return nil
	}
	c := s.calls.get(id)
	switch e.typ {
	case schema.TypeToolCallDetected:
		return c.restart(r, id, "")
	case schema.TypeToolDecision:
		if decision, _ := e.data["decision"].(string); decision == "allow" || decision == "deny" {
			return c.restart(r, id, decision)
		}
	case schema.TypeToolExecStarted:
		unknown := c.unknown
		late := c.restart(r, id, c.decision)
		c.unknown = unknown
		c.start(r, id)
		return late
	case schema.TypeToolExecFinished:
		c.finish(r, id)
	}
	return nil
}

// restart begins a new life of the id; a start before it stays unfinished.
func (c *call) restart(r *report, id, decision string) (late []Finding) {
	if c.started > 0 {
		late = unfinished(c, r.strict)
	}
	*c = call{decision: decision}
	return late
}

// start notes a start, and that it should not have been.
func (c *call) start(r *report, id string) {
	c.started, c.name = r.line, quote(id)
	switch {
	case c.decision == "deny":
		r.addMessage(flowExecAfterDeny, 0, "the call "+quote(id)+" was denied and starts", "started", "not started")
	case c.decision == "" && !c.unknown:
		r.addMessage(flowStartWithoutDecision, 0, "the call "+quote(id)+" starts, want a decision allow first",
			"no decision", "allow")
	}
}

// finish ends a start. That a denied call finishes says more than that it
// never started.
func (c *call) finish(r *report, id string) {
	switch {
	case c.decision == "deny":
		r.addMessage(flowExecAfterDeny, 0, "the call "+quote(id)+" was denied and finishes", "finished", "not started")
	case c.started == 0 && !c.unknown:
		r.addMessage(flowFinishWithoutStart, 0, "the call "+quote(id)+" finishes, want a start first", "no start", "a start")
	}
	c.started = 0
}

// unfinished returns the findings of all calls that are still running, by
// their lines.
func (s *run) unfinished(strict bool) (late []Finding) {
	for c := range s.calls.running() {
		late = append(late, unfinished(c, strict)...)
	}
	Sort(late)
	return late
}

// unfinished returns the finding of a start at a line that has passed.
func unfinished(c *call, strict bool) []Finding {
	r := &report{line: c.started, strict: strict}
	r.addMessage(flowUnfinishedTool, 0, "the call "+c.name+" started here and never finished", "no end", "tool_exec_finished")
	return r.findings
}

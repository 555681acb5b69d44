package adapter

import (
	"cmp"
	"fmt"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/schema"
)

// terminal is what a source says of the end of its run.
type terminal struct {
	// reason is an exit reason of the contract, ok for success.
	reason string
	// code and text say more of a failure; empty for the reason's own words.
	code, text string
}

// The codes of ends that more than one row, or a finding, goes by.
const (
	codeTorn       = "torn_line"
	codeNoTerminal = "no_terminal_event"
	// CodeExitStatus is that of a success which the exit status denies.
	CodeExitStatus = "exit_status"
)

// row is a row of the table of ends: the one that held.
type row struct {
	class        Class
	reason, code string
	text         string
}

// row returns the first row of the table that holds; docs/agents.md has them in
// the same order.
func (c *Converter) row(end End) row {
	status := -1
	if end.ExitStatus != nil {
		status = *end.ExitStatus
	}
	if r := c.broken(end, status); r.class != "" {
		return r
	}
	if c.terminal == nil {
		return c.unended(end, status)
	}
	return c.ended(end, status)
}

// broken has the rows of a run that the harness ended, and of a source that cannot
// be trusted to its end.
func (c *Converter) broken(end End, status int) row {
	quiet := end.Signal == 0 && status <= 0
	switch {
	case end.Cancelled:
		return row{Cancelled, schema.ExitCancelled, "cancelled", "cancelled"}
	case end.TimedOut:
		return row{TimedOut, schema.ExitTimeout, "timeout", "the agent did not end in time"}
	case quiet && c.unreadable > 0 && (c.terminal == nil || c.unreadable > c.terminalLine):
		return row{Violation, schema.ExitStreamInvalid, codeTorn, fmt.Sprintf("line %d of the source cannot be read", c.unreadable)}
	case c.rest && c.stopped == Format:
		return row{Violation, schema.ExitStreamInvalid, "agent_format", "the source is the stream of another agent"}
	case c.rest:
		return row{Violation, schema.ExitStreamInvalid, "second_session", "a second session begins in the source"}
	}
	return row{}
}

// unended has the rows of a source that does not say how the run ended.
func (c *Converter) unended(end End, status int) row {
	signal := signalOf(end, status)
	switch {
	case signal == 1 || signal == 2 || signal == 15:
		return row{Crash, schema.ExitCancelled, fmt.Sprintf("signal_%d", signal), fmt.Sprintf("signal %d ended the agent", signal)}
	case end.Signal != 0:
		return row{Crash, schema.ExitKilled, fmt.Sprintf("signal_%d", end.Signal), fmt.Sprintf("signal %d ended the agent", end.Signal)}
	case status <= 0:
		return row{Violation, schema.ExitNoTerminal, codeNoTerminal, "the agent did not say how the run ended"}
	}
	reason := schema.ExitNoTerminal
	if c.lastType == schema.TypeProviderError {
		reason = schema.ExitProviderError
	}
	return row{Crash, reason, codeNoTerminal, fmt.Sprintf("the agent exited with status %d and did not say how the run ended", status)}
}

// ended has the rows of a source that says how the run ended.
func (c *Converter) ended(end End, status int) row {
	switch t := c.terminal; {
	case t.reason != schema.ExitOK:
		return row{Failure, t.reason, t.code, cmp.Or(t.text, t.reason)}
	case end.Signal != 0:
		return row{Failure, schema.ExitInternalError, CodeExitStatus, fmt.Sprintf("the agent reported success and signal %d ended it", end.Signal)}
	case status > 0:
		return row{Failure, schema.ExitInternalError, CodeExitStatus, fmt.Sprintf("the agent reported success and exited with status %d", status)}
	}
	return row{Success, schema.ExitOK, "", ""}
}

// Ended reports whether the source has said how the run ended, and nothing since.
func (c *Converter) Ended() bool { return c.terminal != nil }

// signalOf returns the signal that ended the agent, also where a wrapper tells it
// by an exit status above 128; 0 for none.
func signalOf(end End, status int) int {
	if end.Signal == 0 && (status == 129 || status == 130 || status == 143) {
		return status - 128
	}
	return end.Signal
}

// finish prints the terminal event. Of a source without a single line that can
// be read it is the record of a run that never began.
func (c *Converter) finish(r row) {
	f := schema.RunFinished{
		ExitReason: r.reason, OK: r.class == Success,
		Source:              &schema.TerminalSource{Terminal: "synthesized", Unmapped: c.unmapped},
		FinalOutputArtifact: schema.Null[string](), ErrorCode: schema.Null[string](),
		Steps: schema.Null[int64](), ToolCalls: schema.Null[int64](), DurationMS: schema.Null[int64](), Usage: schema.Null[schema.Usage](),
	}
	if c.readable {
		c.begin()
		c.outcome(&f)
	} else {
		c.runID = ""
	}
	if r.code != "" {
		f.ErrorCode = schema.Some(r.code)
	}
	if !f.OK {
		f.Error = new(c.masked(r.text, schema.MaxPreviewBytes))
	}
	c.print(schema.TypeRunFinished, &f)
}

// outcome fills in what is known of a run that began.
func (c *Converter) outcome(f *schema.RunFinished) {
	if c.terminal != nil {
		f.Source.Terminal = "observed"
	}
	c.final = c.maskedWhole(c.final)
	f.FinalOutput = c.final
	if !c.agent.Gaps.Steps {
		f.Steps = schema.Some(c.steps)
	}
	f.ToolCalls = schema.Some(c.detected)
	if c.durationMS != nil {
		f.DurationMS = schema.Some(*c.durationMS)
	}
	if c.usage != nil {
		f.Usage = schema.Some(*c.usage)
	}
	if c.leftOpen > 0 {
		f.Unfinished = &c.leftOpen
	}
}

// preRun is the row of a source in which nothing could be read: a silent success
// is none. What the harness did, a signal and a torn line still say more.
func preRun(r row, end End) row {
	r.text = cmp.Or(end.Stderr, r.text)
	switch {
	case r.class == Cancelled, r.class == TimedOut, r.code == codeTorn:
		return r
	case r.class == Crash && r.reason != schema.ExitNoTerminal:
		return r
	}
	return row{PreRunError, schema.ExitPreRunError, "agent_no_output", cmp.Or(end.Stderr, "the agent printed nothing")}
}

// maskedWhole masks a text that is kept whole.
func (c *Converter) maskedWhole(s string) string {
	s = clip.UTF8(s)
	if c.o.Mask == nil {
		return s
	}
	return c.o.Mask(s)
}

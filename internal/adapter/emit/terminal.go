package emit

import (
	"cmp"
	"fmt"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
)

// Terminal is what a source says of the end of its run.
type Terminal struct {
	// Reason is an exit reason of the contract, schema.ExitOK for success.
	Reason string
	// Code and Text say more of a failure; empty for the reason's own words.
	Code, Text string
}

// The codes of ends that more than one row, or a finding, goes by.
const (
	codeTorn          = "torn_line"
	codeNoTerminal    = "no_terminal_event"
	codeContradiction = "contradiction"
	// CodeExitStatus is that of a success which the exit status denies.
	CodeExitStatus = "exit_status"
	// CodeBudget is that of a run which the harness ended for its budget.
	CodeBudget = "budget"
)

// row is a row of the table of ends: the one that held.
type row struct {
	class        Class
	reason, code string
	text         string
}

// row returns the first row of the table that holds; docs/agents.md has them in
// the same order.
func (e *Emitter) row(end End) row {
	status := -1
	if end.ExitStatus != nil {
		status = *end.ExitStatus
	}
	if r := e.broken(end, status); r.class != "" {
		return r
	}
	if e.Terminal == nil {
		return e.unended(end, status)
	}
	return e.ended(end, status)
}

// broken has the rows of a run that the harness ended, and of a source that cannot
// be trusted to its end.
func (e *Emitter) broken(end End, status int) row {
	quiet := end.Signal == 0 && status <= 0
	switch {
	case end.Cancelled:
		return row{Cancelled, schema.ExitCancelled, "cancelled", "cancelled"}
	case end.TimedOut:
		return row{TimedOut, schema.ExitTimeout, "timeout", "the agent did not end in time"}
	case end.Stopped != nil:
		return row{Failure, end.Stopped.Reason, end.Stopped.Code, end.Stopped.Text}
	case quiet && e.unreadable > 0 && (e.Terminal == nil || e.unreadable > e.terminalLine):
		return row{Violation, schema.ExitStreamInvalid, codeTorn, fmt.Sprintf("line %d of the source cannot be read", e.unreadable)}
	case e.rest && e.stopped == AtEnd:
		return row{Violation, schema.ExitStreamInvalid, "agent_format", "the agent printed one JSON value at its end, and no stream"}
	case e.rest && e.stopped == Format:
		text := "the source is the stream of another agent"
		if e.Started {
			text = "the stream of another agent begins in the source"
		}
		return row{Violation, schema.ExitStreamInvalid, "agent_format", text}
	case e.rest:
		return row{Violation, schema.ExitStreamInvalid, "second_session", "a second session begins in the source"}
	case e.contradiction > 0:
		return row{Violation, schema.ExitStreamInvalid, codeContradiction, "the agent reported failure, then success"}
	case e.late > 0 && (quiet || e.Terminal != nil || e.past != nil):
		return row{Violation, schema.ExitStreamInvalid, codeContradiction, "the agent called a tool after its last word"}
	}
	return row{}
}

// unended has the rows of a source that does not say how the run ended.
func (e *Emitter) unended(end End, status int) row {
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
	if e.lastType == schema.TypeProviderError {
		reason = schema.ExitProviderError
	}
	return row{Crash, reason, codeNoTerminal, fmt.Sprintf("the agent exited with status %d and did not say how the run ended", status)}
}

// ended has the rows of a source that says how the run ended.
func (e *Emitter) ended(end End, status int) row {
	switch t := e.Terminal; {
	case t.Reason != schema.ExitOK:
		return row{Failure, t.Reason, t.Code, cmp.Or(t.Text, t.Reason)}
	case end.Signal != 0:
		return row{Failure, schema.ExitInternalError, CodeExitStatus, fmt.Sprintf("the agent reported success and signal %d ended it", end.Signal)}
	case status > 0:
		return row{Failure, schema.ExitInternalError, CodeExitStatus, fmt.Sprintf("the agent reported success and exited with status %d", status)}
	}
	return row{Success, schema.ExitOK, "", ""}
}

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
func (e *Emitter) finish(r row) {
	f := schema.RunFinished{
		ExitReason: r.reason, OK: r.class == Success,
		Source:              &schema.TerminalSource{Terminal: "synthesized", Unmapped: e.unmapped},
		FinalOutputArtifact: schema.Null[string](), ErrorCode: schema.Null[string](),
		Steps: schema.Null[int64](), ToolCalls: schema.Null[int64](), DurationMS: schema.Null[int64](), Usage: schema.Null[schema.Usage](),
	}
	if e.readable {
		e.Begin()
		e.outcome(&f)
	} else {
		e.runID = ""
	}
	if r.code != "" {
		f.ErrorCode = schema.Some(r.code)
	}
	if !f.OK {
		f.Error = new(e.masked(r.text, schema.MaxPreviewBytes))
	}
	e.print(schema.TypeRunFinished, &f)
}

// outcome fills in what is known of a run that began.
func (e *Emitter) outcome(f *schema.RunFinished) {
	if e.Terminal != nil {
		f.Source.Terminal = "observed"
	}
	e.Final = e.maskedWhole(e.Final)
	f.FinalOutput = e.Final
	if e.agent.Steps {
		f.Steps = schema.Some(e.Steps)
	}
	f.ToolCalls = schema.Some(e.detected)
	if e.DurationMS != nil {
		f.DurationMS = schema.Some(*e.DurationMS)
	}
	if e.Usage != nil {
		f.Usage = schema.Some(*e.Usage)
	}
	if e.leftOpen > 0 {
		f.Unfinished = &e.leftOpen
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
func (e *Emitter) maskedWhole(s string) string {
	s = clip.UTF8(s)
	if e.o.Mask == nil {
		return s
	}
	return e.o.Mask(s)
}

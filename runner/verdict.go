package runner

import (
	"context"
	"fmt"

	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxReasonChars bounds what a reason quotes of the stream.
const maxReasonChars = 200

// ending is what a verdict is computed from, besides the execution itself.
type ending struct {
	*Execution
	// cancelled reports that the harness was signalled.
	cancelled bool
	// deadline says which deadline ended the agent, else empty.
	deadline string
	// streamErrors counts errors in the stream itself.
	streamErrors int
	firstError   *validate.Finding
	// failed reports that a run finished with ok false.
	failed bool
	// plain has the reason quote nothing of the stream.
	plain bool
}

// stoppedBy notes that ctx has ended: by its deadline, whose cause then says in
// the words of a reason what took too long, or by a signal.
func (e *ending) stoppedBy(ctx context.Context) {
	switch ctx.Err() {
	case context.DeadlineExceeded:
		e.deadline = context.Cause(ctx).Error()
	case context.Canceled:
		e.cancelled = true
	}
}

// verdicts are tried in this order; the first that gives a reason holds.
var verdicts = []struct {
	verdict Verdict
	reason  func(ending) string
}{
	{VerdictCancelled, cancelled},
	{VerdictTimeout, timeout},
	{VerdictPreRunError, preRunError},
	{VerdictCrash, crash},
	{VerdictViolation, violation},
	{VerdictFailure, failure},
	{VerdictSuccess, func(ending) string { return "the agent reported success and its event stream is valid" }},
}

// setVerdict fills in verdict and reason.
func (e ending) setVerdict() {
	for _, v := range verdicts {
		if reason := v.reason(e); reason != "" {
			if e.Survived {
				reason += "; it could not be killed"
			}
			if e.plain {
				e.PlainReason = reason
				return
			}
			e.Verdict, e.Reason = v.verdict, reason
			e.plain = true
			e.setVerdict()
			return
		}
	}
}

func cancelled(e ending) string {
	if !e.cancelled {
		return ""
	}
	return "the run was cancelled by a signal"
}

// timeout holds for a deadline of ours, and for the one that the agent reports.
func timeout(e ending) string {
	if f := e.RunFinished; e.deadline == "" && e.Source == nil && f != nil && !f.OK && f.ExitReason == schema.ExitTimeout {
		return "the agent ran out of time" + e.detail(stringOr(f.Error, ""))
	}
	return e.deadline
}

func preRunError(e ending) string {
	if e.ReadError != "" {
		return "the output of the agent is not known whole: " + e.ReadError
	}
	if e.StartError != "" {
		return "the agent could not be started: " + e.StartError
	}
	f := e.RunFinished
	if e.Source != nil && e.Source.class != emit.PreRunError {
		return ""
	}
	if f == nil || f.OK || e.RunID != "" || e.Events != 1 || e.streamErrors > 0 {
		return ""
	}
	return "the agent failed before its run began" + e.detail(stringOr(f.Error, ""))
}

func crash(e ending) string {
	switch {
	case e.Source != nil && e.Source.class == emit.Crash && e.Finished() && e.plain:
		return "the agent broke off" + detail(e.RunFinished.ExitReason)
	case e.Source != nil && e.Source.class == emit.Crash && e.Finished():
		return stringOr(e.RunFinished.Error, "")
	case e.Finished():
	case e.Signal != "":
		return fmt.Sprintf("%s ended the agent before a valid run_finished", e.Signal)
	case e.ExitStatus != nil && *e.ExitStatus != 0:
		return fmt.Sprintf("the agent exited with status %d and without a valid run_finished", *e.ExitStatus)
	}
	return ""
}

func violation(e ending) string {
	f := e.firstError
	switch {
	case f == nil && e.Finished():
		return ""
	case f == nil:
		return "the stream has no run_finished that could be read"
	}
	place := "the stream as a whole"
	if f.Line > 0 {
		place = fmt.Sprintf("line %d", f.Line)
	}
	if e.Errors == 1 {
		return fmt.Sprintf("1 error in %s: %s%s", place, f.Rule, e.detail(f.Message))
	}
	return fmt.Sprintf("%d errors, the first in %s: %s%s", e.Errors, place, f.Rule, e.detail(f.Message))
}

func failure(e ending) string {
	if !e.failed {
		return ""
	}
	if f := e.RunFinished; f != nil && !f.OK {
		return "the run failed" + detail(f.ExitReason) + e.detail(stringOr(f.Error, ""))
	}
	return "a run of the stream failed"
}

// detail is detail where the reason may quote.
func (e ending) detail(s string) string {
	if e.plain {
		return ""
	}
	return detail(s)
}

// detail returns ": s" in one line, cut, to end a sentence with; nothing when s
// is empty.
func detail(s string) string {
	if s, _ = clip.OneLine(clip.UTF8(s), maxReasonChars); s == "" {
		return ""
	}
	return ": " + s
}

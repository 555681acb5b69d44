package runner

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// Each case breaks one thing more than the one before, so that the order of
// the verdicts shows.
func TestVerdict_FirstThatHolds(t *testing.T) {
	why := "no\nmoney"
	e := ending{Execution: &Execution{RunID: "r", Events: 2, RunFinished: &schema.RunFinished{OK: true}}}
	for _, tt := range []struct {
		verdict Verdict
		reason  string
		more    func()
	}{
		{VerdictSuccess, "the agent reported success and its event stream is valid", func() {}},
		{VerdictFailure, "the run failed: budget_exceeded: no money", func() {
			e.failed = true
			e.RunFinished = &schema.RunFinished{ExitReason: "budget_exceeded", Error: &why}
		}},
		{VerdictViolation, "1 error in line 4: stream/sequence-gap: got 9", func() {
			e.Errors, e.streamErrors = 1, 1
			e.firstError = &validate.Finding{Line: 4, Rule: "stream/sequence-gap", Message: "got 9"}
		}},
		{VerdictViolation, "3 errors, the first in line 4: stream/sequence-gap: got 9", func() { e.Errors = 3 }},
		{VerdictViolation, "3 errors, the first in line 4: stream/sequence-gap: got 9", func() { e.RunFinished = nil }},
		{VerdictCrash, "the agent exited with status 2 and without a valid run_finished", func() { e.ExitStatus = new(int); *e.ExitStatus = 2 }},
		{VerdictCrash, "SIGSEGV ended the agent before a valid run_finished", func() { e.Signal = "SIGSEGV" }},
		{VerdictPreRunError, "the agent failed before its run began: no money", func() {
			e.RunID, e.Events, e.streamErrors = "", 1, 0
			e.RunFinished = &schema.RunFinished{Error: &why}
		}},
		{VerdictTimeout, "the agent ran out of time: no money", func() { e.RunFinished.ExitReason = schema.ExitTimeout }},
		{VerdictPreRunError, "the agent could not be started: no such file", func() {
			e.RunFinished.ExitReason, e.StartError = schema.ExitPreRunError, "no such file"
		}},
		{VerdictTimeout, "the agent ran longer than 1s", func() { e.deadline = "the agent ran longer than 1s" }},
		{VerdictCancelled, "the run was cancelled by a signal", func() { e.cancelled = true }},
		{VerdictCancelled, "the run was cancelled by a signal; it could not be killed", func() { e.Survived = true }},
	} {
		tt.more()
		e.setVerdict()
		if e.Verdict != tt.verdict || e.Reason != tt.reason {
			t.Errorf("judge = %s, %q, want %s, %q", e.Verdict, e.Reason, tt.verdict, tt.reason)
		}
	}
}

// A record counts as one of a failure before the run only when it is alone,
// without a run id, and keeps the contract.
func TestVerdict_NoPreRunRecord(t *testing.T) {
	for name, change := range map[string]func(*ending){
		"ok":         func(e *ending) { e.RunFinished.OK = true },
		"a run id":   func(e *ending) { e.RunID = "r" },
		"not alone":  func(e *ending) { e.Events = 2 },
		"has errors": func(e *ending) { e.streamErrors = 1 },
	} {
		e := ending{Execution: &Execution{Events: 1, RunFinished: &schema.RunFinished{}}}
		change(&e)
		e.setVerdict()
		if e.Verdict == VerdictPreRunError {
			t.Errorf("%s: judge = %s, want another", name, e.Verdict)
		}
	}
}

func TestVerdict_NothingReadable(t *testing.T) {
	e := ending{Execution: &Execution{}}
	e.setVerdict()
	if e.Verdict != VerdictViolation {
		t.Errorf("judge = %s, want %s", e.Verdict, VerdictViolation)
	}
}

func TestVerdict_ReasonIsBounded(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	e := ending{failed: true, Execution: &Execution{RunID: "r", RunFinished: &schema.RunFinished{ExitReason: "blocked", Error: &long}}}
	e.setVerdict()
	if n := len(e.Reason); n > 300 {
		t.Errorf("judge: reason has %d bytes, want at most 300", n)
	}
}

package validate

import (
	"fmt"
	"time"

	"github.com/openagent-ci/openagent/schema"
)

// run is what the rules about lines as one stream remember of those before.
type run struct {
	seen     bool // an event was seen
	started  bool // run_started was seen
	finished bool // run_finished was seen
	id       string
	sequence int64 // of the last event that could be read
	lost     int64 // lines since then that could not be read
	step     int64
	at       time.Time
	timed    bool // a ts was seen, and at is the last
	calls    calls
	torn     bool  // a line before the last event could not be read
	detected int64 // lines tool_call_detected
	ended    int   // line of the first run_finished
	total    int64 // of calls as that counts them, -1 for no count
}

// newRun returns the state before the first line.
func newRun() run { return run{calls: newCalls()} }

// checkToolCalls tries the rule about the count of calls, once the run is over: a
// line that cannot be read may have been one of them.
func (s *run) checkToolCalls(r *report) {
	if s.finished && s.total >= 0 && s.total != s.detected && !s.torn && s.lost == 0 {
		r.line = s.ended
		r.add(runToolCalls, 0, "tool_calls", fmt.Sprint(s.total), fmt.Sprintf("%d, the number of tool_call_detected lines", s.detected))
	}
}

// checkOrder tries the rules of the stream stage, and of flow those about step
// and ts, and moves on to e, whose data may be nil where they are known to keep
// the rule about them.
func (s *run) checkOrder(r *report, e *facts, data map[string]any) {
	s.checkSequence(r, e)
	s.checkRunID(r, e, data)
	s.checkPlace(r, e)
	if s.seen && e.step < s.step {
		r.add(flowStepBackwards, 0, "step", fmt.Sprint(e.step), fmt.Sprintf("at least %d", s.step))
	}
	if e.timed && s.timed && e.at.Before(s.at) {
		r.add(flowTSBackwards, 0, "ts", e.at.Format(time.RFC3339Nano), "not before "+s.at.Format(time.RFC3339Nano))
	}
	s.seen, s.torn = true, s.torn || s.lost > 0
	s.count(e.typ)
	if e.typ == schema.TypeRunFinished && !s.finished {
		s.ended, s.total = r.line, e.total
	}
	s.sequence, s.lost, s.step = e.sequence, 0, e.step
	if e.timed {
		s.at, s.timed = e.at, true
	}
	if s.id == "" {
		s.id = e.runID
	}
	s.started = s.started || e.typ == schema.TypeRunStarted
	s.finished = s.finished || e.typ == schema.TypeRunFinished
}

// count counts an event that finds a call.
func (s *run) count(typ schema.Type) {
	if typ == schema.TypeToolCallDetected {
		s.detected++
	}
}

// checkSequence accepts, after lines that could not be read, each number that
// one of them could have had.
func (s *run) checkSequence(r *report, e *facts) {
	want := s.sequence + 1
	if e.sequence >= want && e.sequence-want <= s.lost {
		return
	}
	id, wanted := streamSequenceGap, fmt.Sprint(want)
	if !s.seen {
		id = streamSequenceStart
	}
	if s.lost > 0 {
		wanted = fmt.Sprintf("%d to %d", want, want+s.lost)
	}
	r.add(id, 0, "sequence", fmt.Sprint(e.sequence), wanted)
}

// checkRunID compares ids with the first one that is not empty: a line with
// another id is one finding, and so is each line of another run.
func (s *run) checkRunID(r *report, e *facts, data map[string]any) {
	lone := !s.seen && e.typ == schema.TypeRunFinished
	switch {
	case e.runID == "" && lone:
		checkPreRun(r, data)
	case e.runID == "":
		r.addMessage(streamRunID, 0, "run_id is empty, want the id of the run", `""`, "the id of the run")
	case s.id != "" && e.runID != s.id:
		r.add(streamRunID, 0, "run_id", quote(e.runID), quote(s.id))
	}
}

// checkPreRun tries the rule about the record of a failure before the run.
func checkPreRun(r *report, data map[string]any) {
	ok, isBool := data["ok"].(bool)
	text, present := data["error"]
	switch {
	case isBool && ok:
		r.add(streamPreRun, 0, "ok", "true beside an empty run_id", "false")
	case present && text == nil, text == "":
		r.add(streamPreRun, 0, "error", describe(text)+" beside an empty run_id", "what failed")
	}
}

// checkPlace tries the rules about the first and the last event.
func (s *run) checkPlace(r *report, e *facts) {
	started, finished := e.typ == schema.TypeRunStarted, e.typ == schema.TypeRunFinished
	switch {
	case !s.seen && !started && !finished:
		r.add(streamRunStarted, 0, "the first event", quote(string(e.typ)), "run_started")
	case s.started && started:
		r.addMessage(streamRunStarted, 0, "a second run_started, want one", "a second one", "one run_started")
	}
	switch {
	case s.finished && finished:
		r.addMessage(streamTerminalDuplicate, 0, "a second run_finished, want one", "a second one", "one run_finished")
	case s.finished:
		r.addMessage(streamTerminalNotLast, 0, quote(string(e.typ))+" follows run_finished, want nothing",
			quote(string(e.typ)), "nothing")
	}
}

// checkOutcome tries the rule about what run_finished says of the run.
func checkOutcome(r *report, e *event) {
	if e.typ != schema.TypeRunFinished {
		return
	}
	reason, isReason := e.data["exit_reason"].(string)
	ok, isBool := e.data["ok"].(bool)
	text, _ := e.data["error"].(string)
	switch {
	case isReason && reason == "":
		r.addMessage(runOutcome, 0, "exit_reason is empty, want a reason", `""`, "a reason")
	case isBool && ok && text != "":
		r.addMessage(runOutcome, 0, "ok is true beside an error, want error null", quote(text), "null")
	case isBool && ok && schema.Failing(reason):
		r.addMessage(runOutcome, 0, "ok is true beside exit_reason "+quote(reason)+`, want "ok"`, quote(reason), `"ok"`)
	case isBool && !ok && reason == schema.ExitOK:
		r.addMessage(runOutcome, 0, `ok is false beside exit_reason "ok", want true`, "false", "true")
	}
}

package validate

import (
	"bytes"
	"cmp"
	"time"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

// maxLate bounds the findings that wait for the end of the stream.
const maxLate = 4096

// Stream checks one stream line by line. Its memory is that of one line, of the
// last tool calls and of a bounded number of findings, however long the stream.
type Stream struct {
	opts    Options
	line    int
	run     run
	version version
	// late holds findings of lines that have passed, or of no line.
	late []Finding
	// noEvent is the last short line that was none, and what is wrong with it.
	noEvent []byte
	fault   Finding

	// A line that the scanner finds faultless is not for the rules about lines.
	scans   bool // where the lines are of the scanner's version
	scanner Scanner
	last    Scanned
	scanned facts
	found   *line.Facts // of the last line, if it was one of these, else nil
}

// Brief is what is known of an event without decoding it. It is valid until the next
// line.
type Brief struct {
	Type  schema.Type
	found *line.Facts
}

// RunID returns the id of the run.
func (b *Brief) RunID() string { return string(b.found.RunID) }

// When returns the time of the event, and its step.
func (b *Brief) When() (at time.Time, step int64) {
	return time.Unix(b.found.Seconds, b.found.Nanoseconds).UTC(), b.found.Step
}

// Call returns the id of the tool call that the event is about, and the name of its
// tool; nil for what it does not say.
func (b *Brief) Call() (id, tool *string) { return optional(b.found.CallID), optional(b.found.Tool) }

func optional(text []byte) *string {
	if text == nil {
		return nil
	}
	return new(string(text))
}

// Denied reports whether the event denies a call.
func (b *Brief) Denied() bool { return string(b.found.Decision) == decisionDeny }

// Others reports whether data has members that the contract does not know.
func (b *Brief) Others() bool { return b.found.Others }

// OK returns what the event says of ok, nil for nothing.
func (b *Brief) OK() *bool {
	if !b.found.Checked {
		return nil
	}
	return new(b.found.OK)
}

// NewStream returns a Stream that has seen nothing.
func NewStream(opts Options) *Stream {
	opts.MaxLine = cmp.Or(opts.MaxLine, schema.DefaultReaderBytes)
	v := newVersion(opts)
	return &Stream{opts: opts, run: newRun(), version: v, scans: scanning && v.scans()}
}

// Line checks the next line and returns its findings in the order of the
// rules. The line has its LF if it had one; only the last may have none. Of a
// line above the cap it is enough to hand MaxLine+1 bytes and the LF. The
// line is not kept.
func (s *Stream) Line(line []byte) []Finding { return s.Check(line, nil) }

// Check is Line for one of which a Scanner has said what it is, if that is not nil.
func (s *Stream) Check(line []byte, scanned *Scanned) []Finding {
	s.line++
	if s.found = s.faultless(line, scanned); s.found != nil {
		return s.checkFaultless(&s.scanned)
	}
	r := report{line: s.line, strict: s.opts.Strict}
	if len(line) > 0 && bytes.Equal(line, s.noEvent) {
		s.run.lost++
		s.fault.Line = s.line
		return []Finding{s.fault}
	}
	if !checkLine(&r, line, s.opts.MaxLine) {
		s.run.lost++
		s.remember(line, r.findings[0])
		return r.findings
	}
	e := readEvent(line)
	if e.usable {
		s.begin(&r, &e.facts)
	}
	s.version.choose(e.members["schema_version"])
	s.checkEvent(&r, e)
	return r.findings
}

// Brief describes the last line without decoding it; ok is false when nothing but
// decoding can, as of a line that has faults of its own.
func (s *Stream) Brief() (b Brief, ok bool) {
	if s.found == nil {
		return Brief{}, false
	}
	return Brief{schema.Type(s.found.Type), s.found}, true
}

// maxRemembered bounds the line that is remembered, in bytes.
const maxRemembered = 256

// remember keeps a line that is no event: what prints very many of them, such
// as blank ones, prints the same again.
func (s *Stream) remember(line []byte, fault Finding) {
	if len(line) <= maxRemembered {
		s.noEvent, s.fault = append(s.noEvent[:0], line...), fault
	}
}

// checkEvent tries all rules after the line stage on an event and leaves its
// findings in the order of the rules.
func (s *Stream) checkEvent(r *report, e *event) {
	c := s.version.contract()
	c.check(r, e, cmp.Or(s.opts.Version, c.version), !s.run.seen)
	if !e.usable {
		s.run.lost++
		r.sort()
		return
	}
	checkOutcome(r, e)
	s.follow(r, &e.facts, e.data)
}

// checkFaultless tries the rules about the stream on an event that keeps all others.
func (s *Stream) checkFaultless(e *facts) []Finding {
	r := report{line: s.line, strict: s.opts.Strict}
	s.begin(&r, e)
	s.version.choose(schema.Version)
	s.follow(&r, e, nil)
	return r.findings
}

// follow tries the rules about an event among those of its run, whose data are
// nil where these are known to keep theirs.
func (s *Stream) follow(r *report, e *facts, data map[string]any) {
	s.run.checkOrder(r, e, data)
	late := s.run.checkFlow(r, e)
	if len(r.findings) > 1 {
		r.sort()
	}
	s.postpone(r, late)
}

// postpone keeps findings of earlier lines for the end. Where there are too
// many of them, they are reported with the line that shows them.
func (s *Stream) postpone(r *report, late []Finding) {
	if len(s.late) < maxLate {
		s.late = append(s.late, late...)
		return
	}
	r.findings = append(r.findings, late...)
}

// begin ends the run so far if e is the first event of a further one.
func (s *Stream) begin(r *report, e *facts) {
	if s.opts.Runs && s.run.seen && s.begins(e) {
		s.postpone(r, s.end())
		s.run = newRun()
		s.version.forget()
	}
}

// begins reports whether e is the first event of a further run.
func (s *Stream) begins(e *facts) bool {
	if e.typ == schema.TypeRunStarted {
		return s.run.finished || e.sequence == 1
	}
	return s.run.finished && e.typ == schema.TypeRunFinished && e.sequence == 1
}

// end returns what only the end of a run can show.
func (s *Stream) end() []Finding {
	r := &report{strict: s.opts.Strict}
	if !s.run.finished {
		message := "the stream ends without run_finished"
		if s.run.id != "" {
			message = "the run " + quote(s.run.id) + " ends without run_finished"
		}
		r.addMessage(streamTerminalMissing, 0, message, "none", "run_finished")
	}
	s.run.checkToolCalls(r)
	return append(r.findings, s.run.unfinished(s.opts.Strict)...)
}

// Close reports what only the end of a stream can show: a missing terminal
// event, or tool executions that started and never finished. The latter stand
// at the line of their start; Sort brings all findings into order.
func (s *Stream) Close() []Finding {
	s.late = append(s.late, s.end()...)
	Sort(s.late)
	return s.late
}

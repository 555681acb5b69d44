package validate

import (
	"sync"
	"time"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

// tablesHold reports whether the scanner's tables are those of the schema that
// the rules read.
var tablesHold = sync.OnceValue(func() bool { return fits(line.Version, line.Digest) })

func fits(version, digest string) bool { return version == schema.Version && digest == schema.Digest() }

// scan notes the facts of a line of which the rules about single lines have
// nothing to say, and returns false when that is for them to find out.
func (s *Stream) scan(text []byte) bool {
	if !s.scans || len(text) == 0 || len(text) > s.opts.MaxLine || s.scanner.Scan(text) != len(text) {
		return false
	}
	f, e := &s.read, &s.scanned
	s.scanner.Facts(text, f)
	if f.Type == string(schema.TypeRunFinished) && !outcomeHolds(f) {
		return false
	}
	e.typ, e.sequence, e.step, e.callID = schema.Type(f.Type), f.Sequence, f.Step, f.CallID
	e.at, e.timed = time.Unix(f.Seconds, f.Nanoseconds).UTC(), true
	if e.runID = s.run.id; string(f.RunID) != e.runID {
		e.runID = string(f.RunID)
	}
	switch e.decision = ""; string(f.Decision) {
	case decisionAllow:
		e.decision = decisionAllow
	case decisionDeny:
		e.decision = decisionDeny
	}
	return true
}

// outcomeHolds reports whether a run_finished keeps the rules about what it says
// of the run, also those about one that failed before it began.
func outcomeHolds(f *line.Facts) bool {
	if len(f.RunID) == 0 && (f.OK || !f.Error) {
		return false
	}
	reason := string(f.Reason)
	if f.OK {
		return !f.Error && !schema.Failing(reason)
	}
	return reason != schema.ExitOK
}

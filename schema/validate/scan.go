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

// scan returns the facts of a line of which the rules about single lines have
// nothing to say; ok is false when that is for them to find out.
func (s *Stream) scan(text []byte) (e facts, ok bool) {
	if !scanning || s.ruled || len(text) == 0 || len(text) > s.opts.MaxLine || s.opts.Version != schema.Version || !tablesHold() || s.scanner.Scan(text) != len(text) {
		return facts{}, false
	}
	f := s.scanner.Facts(text)
	if f.Type == string(schema.TypeRunFinished) && !outcomeHolds(&f) {
		return facts{}, false
	}
	e = facts{
		typ: schema.Type(f.Type), sequence: f.Sequence, step: f.Step, runID: s.run.id,
		at: time.Unix(f.Seconds, f.Nanoseconds).UTC(), timed: true, callID: f.CallID,
	}
	if string(f.RunID) != e.runID {
		e.runID = string(f.RunID)
	}
	switch string(f.Decision) {
	case decisionAllow:
		e.decision = decisionAllow
	case decisionDeny:
		e.decision = decisionDeny
	}
	return e, true
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

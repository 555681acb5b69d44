package validate

import (
	"bytes"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate/line"
)

// tablesHold reports whether the scanner's tables are those of the schema that
// the rules read.
var tablesHold = sync.OnceValue(func() bool { return fits(schema.Version, schema.Digest()) })

func fits(version, digest string) bool { return version == line.Version && digest == line.Digest }

// Scanner scans lines before a Stream checks them, each by itself: several may do
// so at once. The zero value is ready.
type Scanner struct{ line.Scanner }

// Scanned is what a Scanner says of a line. It refers to the memory of the line.
type Scanned struct {
	// Size is the length of the line, LF included.
	Size int
	// faultless tells that the rules about single lines have nothing to say, and
	// facts what those about the stream ask for.
	faultless bool
	facts     line.Facts
}

// Faultless reports whether the rules about single lines have nothing to say of it.
func (f *Scanned) Faultless() bool { return f.faultless }

// Scan scans the line that text begins with. Text ends with LF, if there is any,
// and may go on behind that line.
func (s *Scanner) Scan(text []byte) (found Scanned) {
	s.scan(text, &found)
	return found
}

func (s *Scanner) scan(text []byte, found *Scanned) {
	if found.faultless = false; scanning {
		found.Size = s.Scanner.Scan(text)
	}
	if !scanning || found.Size == 0 {
		found.Size = bytes.IndexByte(text, '\n') + 1
		return
	}
	s.Facts(text, &found.facts)
	found.faultless = found.facts.Type != string(schema.TypeRunFinished) || outcomeHolds(&found.facts)
}

// faultless notes the facts of a line of which the rules about single lines have
// nothing to say, and returns nil when that is for them to find out.
func (s *Stream) faultless(text []byte, found *Scanned) *line.Facts {
	if !s.scans || !s.version.scanned() || len(text) > s.opts.MaxLine {
		return nil
	}
	if found == nil {
		found = &s.last
		s.scanner.scan(text, found)
	}
	if !found.faultless || found.Size != len(text) {
		return nil
	}
	f, e := &found.facts, &s.scanned
	e.typ, e.sequence, e.step, e.callID = schema.Type(f.Type), f.Sequence, f.Step, f.CallID
	e.total = f.Total
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
	return f
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

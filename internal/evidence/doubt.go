package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// maxCheckedLine bounds a line of a saved stream that is checked again, in bytes.
const maxCheckedLine = 64 << 20

// ScanAgain is how a saved stream is checked again for Doubt.
func ScanAgain(handler runner.Handler) runner.Config {
	return runner.Config{File: EventsFile, Handler: handler, Stream: validate.Options{MaxLine: maxCheckedLine}}
}

// Scan checks the stream again, as ScanAgain configures it. The execution is nil where the stream cannot be opened, which
// Problem reports too.
func (s *Saved) Scan(ctx context.Context, handler runner.Handler) (*runner.Execution, error) {
	f, err := s.Open(EventsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return runner.Scan(ctx, f, ScanAgain(handler))
}

// Problem is why evidence is not to be believed.
type Problem struct {
	// Why is a sentence that lacks its subject, the evidence. What says in which
	// ways it holds.
	Why  string
	What []string
	// OtherVersion says that the stream is one of another contract, and nothing
	// else is wrong that this program could see.
	OtherVersion bool
}

// Problem compares the files with their digests and the verdict with the stream, and
// returns nil where the evidence is to be believed. again is the stream as ScanAgain
// checked it, nil where it cannot be read. Every command that shows or compares
// evidence calls it.
func (s *Saved) Problem(again *runner.Execution) *Problem {
	if d := s.Broken(); d != nil {
		return d
	}
	if again == nil {
		return &Problem{Why: notAsSaved, What: []string{EventsFile + ": it cannot be read"}}
	}
	if v := s.Manifest.Versions.Contract.Version; v != schema.Version {
		return &Problem{Why: "is of another version", OtherVersion: true,
			What: []string{fmt.Sprintf("its stream is of the contract %.100q, want %q", v, schema.Version)}}
	}
	if v := runner.Verdict(s.Manifest.Verdict); !possible(v, again.Verdict) {
		return &Problem{Why: "contradicts itself",
			What: []string{fmt.Sprintf("%s: the verdict is %.60q, that of the stream is %s: %s", ManifestFile, v, again.Verdict, again.Reason)}}
	}
	return nil
}

// possible reports whether a run can have the verdict when its saved stream has the
// other one. Only success and failure follow from the stream alone: a deadline, an exit
// status, a strict check or a converted stream can be the reason of any other verdict.
func possible(verdict, stream runner.Verdict) bool {
	switch verdict {
	case runner.VerdictSuccess:
		return stream == runner.VerdictSuccess
	case runner.VerdictFailure:
		return stream != runner.VerdictSuccess && stream != runner.VerdictViolation
	case runner.VerdictViolation, runner.VerdictTimeout, runner.VerdictCancelled, runner.VerdictCrash, runner.VerdictPreRunError:
		return true
	}
	return false
}

const notAsSaved = "is not as it was saved"

// Broken asks what the manifest and the digests alone can answer: whether the evidence
// was complete, and still is what was saved.
func (s *Saved) Broken() *Problem {
	if m := s.Manifest; !m.EvidenceComplete {
		if len(m.Lost) == 0 {
			m.Lost = []string{"something could not be kept whole"}
		}
		return &Problem{Why: "is not complete", What: m.Lost}
	}
	if changed := s.Changed(); len(changed) > 0 {
		return &Problem{Why: notAsSaved, What: changed}
	}
	return nil
}

// required are the files that every manifest lists: nothing is to be believed without
// them.
var required = []string{EventsFile, FindingsFile}

// unlisted says which of the required files the manifest has no digest of.
func (s *Saved) unlisted() (missing []string) {
	for _, name := range required {
		switch {
		case slices.ContainsFunc(s.Manifest.Files, func(f schema.ManifestFile) bool { return f.Path == name }):
		case slices.ContainsFunc(s.Manifest.LeftOut, func(f schema.ManifestLeftOut) bool { return f.Path == name }):
			missing = append(missing, name+": it was left out")
		default:
			missing = append(missing, name+": the manifest does not list it")
		}
	}
	return missing
}

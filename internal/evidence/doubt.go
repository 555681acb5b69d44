package evidence

import (
	"fmt"
	"slices"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

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

// Problem asks all that can be asked of saved evidence, and returns nil where it is to
// be believed. again is the stream scanned again by ScanAgain, nil where it could
// not be. Whoever shows or compares evidence asks this.
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
	if wrong := s.Contradictions(again); len(wrong) > 0 {
		return &Problem{Why: "contradicts itself", What: wrong}
	}
	return nil
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

package report

import (
	"github.com/openagent-ci/openagent/internal/text/term"
	"github.com/openagent-ci/openagent/schema"
)

// Origin says where a report comes from, so that the reports of a matrix can be
// told apart.
type Origin struct {
	Version string // of this program
	// Job is the one that the report is written in, nil outside of one.
	Job *schema.ManifestJob
}

// job returns the name of the job, with its place in a matrix as GitHub shows
// it, and empty outside of one.
func (o Origin) job() string {
	if o.Job == nil {
		return ""
	}
	name := o.Job.Job
	if o.Job.Matrix != "" {
		name += " (" + o.Job.Matrix + ")"
	}
	return term.OneLine(name, MaxFinding)
}

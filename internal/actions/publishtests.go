package actions

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/schema/validate"
)

// envWorkspace names the folder of the checked-out repository.
const envWorkspace = "GITHUB_WORKSPACE"

// TestResult is what a job publishes that ran scripts.
type TestResult struct {
	Verdict runner.Verdict
	Time    time.Duration
	// Findings has one for each script that failed, which is annotated in the
	// script where that is a file of the repository.
	Findings []validate.Finding
	// Evidence is the folder of the results, JUnitFile the name of a file in it.
	Evidence, JUnitFile string
	// Summary is the Markdown of the job page; empty adds none.
	Summary []byte
	Outcome
}

// PublishTests is Publish for scripts. The outputs have the names of those of a
// run; what only a run has is empty.
func (j *Job) PublishTests(r TestResult) (warnings []string, err error) {
	t := jobReport{by: "a script", workspace: j.getenv(envWorkspace), summary: r.Summary, outputs: r.outputs(), first: r.annotations(r.Verdict)}
	if r.Annotations {
		t.findings = r.Findings
	}
	return j.report(t)
}

func (r TestResult) outputs() []output {
	values := map[string]string{
		"ok":             fmt.Sprint(r.Verdict == runner.VerdictSuccess),
		"verdict":        string(r.Verdict),
		"duration-ms":    fmt.Sprint(r.Time.Milliseconds()),
		"findings":       fmt.Sprint(len(r.Findings)),
		"schema-version": schema.Version,
		"schema-digest":  schema.Digest(),
		"evidence-dir":   r.Evidence,
		"junit-file":     filepath.Join(r.Evidence, r.JUnitFile),
		"error":          r.failure(r.Verdict),
	}
	outputs := Result{Exec: &runner.Execution{}}.outputs()
	for i := range outputs {
		outputs[i].value = values[outputs[i].name]
	}
	return outputs
}

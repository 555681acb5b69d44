package job

import (
	"fmt"
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
	// Findings has an error for each script that failed and a warning for one that was
	// flaky, which are annotated in the script where that is a file of the repository.
	Findings []validate.Finding
	// Evidence is the folder of the results.
	Evidence string
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

// PublishPlan publishes the matrix of the jobs that share scripts out, and whether there
// is one.
func (j *Job) PublishPlan(matrix []byte, work bool) error {
	_, err := j.report(jobReport{by: "a script", outputs: outputsOf(map[string]string{
		"ok": "true", "verdict": string(runner.VerdictSuccess), "matrix": string(matrix), "has-work": fmt.Sprint(work),
	})})
	return err
}

func (r TestResult) outputs() []output {
	return outputsOf(map[string]string{
		"ok":             r.ok(r.Verdict),
		"verdict":        string(r.Verdict),
		"findings":       fmt.Sprint(r.failures()),
		"schema-version": schema.Version,
		"schema-digest":  schema.Digest(),
		"evidence-dir":   r.Evidence,
		"error":          r.failure(r.Verdict),
	})
}

// failures counts the findings that are errors.
func (r TestResult) failures() int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == validate.SeverityError {
			n++
		}
	}
	return n
}

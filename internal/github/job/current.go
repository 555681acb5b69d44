package job

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// Variables by which the runner names a job.
const (
	envRunID   = "GITHUB_RUN_ID"
	envJob     = "GITHUB_JOB"
	envAttempt = "GITHUB_RUN_ATTEMPT"
)

// Current returns the job that the process runs in, nil outside of one.
func Current(getenv func(string) string) *schema.ManifestJob {
	if !InJob(getenv) {
		return nil
	}
	return &schema.ManifestJob{
		RunID: getenv(envRunID), Job: getenv(envJob), Attempt: getenv(envAttempt), Matrix: matrix(getenv(EnvMatrix)),
	}
}

// matrix returns the values of a matrix, given as JSON, in the order of their
// names, which is the same in every job. What is no object is its own name.
func matrix(text string) string {
	var values map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &values) != nil {
		return strings.TrimSpace(text)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var value string
		if json.Unmarshal(values[name], &value) != nil {
			var b bytes.Buffer
			_ = json.Compact(&b, values[name]) // it was decoded before
			value = b.String()
		}
		list = append(list, name+"="+value)
	}
	return strings.Join(list, ", ")
}

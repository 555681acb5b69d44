package job

import "github.com/openagent-ci/openagent/runner"

// Variables by which action.yml says under which name the evidence is uploaded,
// and when: its input upload-artifact.
const (
	EnvArtifactName   = "OPENAGENT_ARTIFACT_NAME"
	EnvUploadArtifact = "OPENAGENT_UPLOAD_ARTIFACT"
)

// Artifact returns the name under which the evidence of a run with the verdict v
// will be uploaded, empty when the action does not upload it.
func (j *Job) Artifact(v runner.Verdict) string {
	when := j.getenv(EnvUploadArtifact)
	if when == "auto" || when == "failure" && v != runner.VerdictSuccess {
		return j.getenv(EnvArtifactName)
	}
	return ""
}

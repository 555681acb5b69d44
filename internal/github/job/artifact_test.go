package job

import (
	"testing"

	"github.com/openagent-ci/openagent/runner"
)

// Whoever reads of an artifact finds it.
func TestArtifact_OnlyWhenItIsUploaded(t *testing.T) {
	for _, tt := range []struct {
		when    string
		verdict runner.Verdict
		want    string
	}{
		{"auto", runner.VerdictSuccess, "openagent-a-1"}, {"failure", runner.VerdictCrash, "openagent-a-1"},
		{"failure", runner.VerdictSuccess, ""}, {"never", runner.VerdictCrash, ""}, {"", runner.VerdictCrash, ""},
	} {
		env := map[string]string{EnvUploadArtifact: tt.when, EnvArtifactName: "openagent-a-1"}
		j := &Job{getenv: func(name string) string { return env[name] }}
		if got := j.Artifact(tt.verdict); got != tt.want {
			t.Errorf("Artifact of %s with upload-artifact %q = %q, want %q", tt.verdict, tt.when, got, tt.want)
		}
	}
}

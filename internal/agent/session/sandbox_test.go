package session

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
)

// What a run keeps, what its harness does, and the files by which a step changes later
// ones, is hidden.
func TestWall_Hides(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	s := &setup{Process: &process.Process{Env: process.Env{Dir: dir, Vars: []string{
		"RUNNER_TEMP=" + at("temp"), "GITHUB_ENV=" + at("env"), "GITHUB_OUTPUT=relative", "TMPDIR=" + at("tmp"),
	}}}, Options: Options{ArtifactsDir: "artifacts"}, given: key.Handover{Hidden: []string{at("work/out")}}}
	got, err := s.wall(sandbox.Policy{}, identity{root: at("work"), state: func() (string, error) { return at("state"), nil }})
	if diff := cmp.Diff([]string{at("work/out"), at("state"), at("artifacts"), at("env"), at("temp")}, got.Hidden); diff != "" || err != nil {
		t.Errorf("hidden: %v (-want +got):\n%s", err, diff)
	}
	if got.Workspace != at("work") || got.Temp != at("tmp") {
		t.Errorf("workspace %s, temporary folder %s", got.Workspace, got.Temp)
	}
}

package session

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/tool/policy"
)

// Where both say something the command line wins; lists add up; with a wall that is
// off nothing of the file holds.
func TestMergeSandbox(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	place := process.Env{Dir: dir, Vars: []string{"HOME=" + at("home")}}
	file := policy.Sandbox{Mode: "require", Network: "off", Read: []string{at("data"), "~/models", "../near"}, Write: []string{"out"}, Presets: []string{"go"}}
	of := sandbox.Policy{
		Mode: sandbox.Require, Network: sandbox.NetworkOff, Presets: []string{"go"},
		Read: []string{at("data"), at("home/models"), at("near")}, Write: []string{at("work/out")},
	}
	both := of
	both.Mode, both.Network, both.Presets = sandbox.Auto, sandbox.NetworkLoopback, []string{"node", "go"}
	both.Read = append([]string{at("more")}, of.Read...)
	for name, c := range map[string]struct{ given, want sandbox.Policy }{
		"no flag": {sandbox.Policy{}, of},
		"flags":   {sandbox.Policy{Mode: sandbox.Auto, Network: sandbox.NetworkLoopback, Presets: []string{"node"}, Read: []string{at("more")}}, both},
		"off":     {sandbox.Policy{Mode: sandbox.Off}, sandbox.Policy{Mode: sandbox.Off}},
	} {
		got, err := mergeSandbox(place, c.given, file, at("work"))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// What a run keeps, what its harness does, and the files by which a step changes later
// ones, is hidden.
func TestWall_Hides(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	s := &setup{Process: &process.Process{Env: process.Env{Dir: dir, Vars: []string{
		"RUNNER_TEMP=" + at("temp"), "GITHUB_ENV=" + at("env"), "GITHUB_OUTPUT=relative", "TMPDIR=" + at("tmp"),
	}}}, Options: Options{ArtifactsDir: "artifacts"}, given: key.Handover{Hidden: []string{at("work/out")}}}
	got := s.wall(policy.Sandbox{}, identity{root: at("work"), state: func() (string, error) { return at("state"), nil }})
	if diff := cmp.Diff([]string{at("work/out"), at("state"), at("artifacts"), at("temp"), at("env")}, got.policy.Hidden); diff != "" || got.err != nil {
		t.Errorf("hidden: %v (-want +got):\n%s", got.err, diff)
	}
	if got.policy.Workspace != at("work") || got.policy.Temp != at("tmp") {
		t.Errorf("workspace %s, temporary folder %s", got.policy.Workspace, got.policy.Temp)
	}
}

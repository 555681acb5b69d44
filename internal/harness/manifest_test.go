package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/runner"
	"github.com/openagent-ci/openagent/schema"
)

// repository returns a folder with one commit, and the commit's id.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	dir = files(t, "a.txt")
	var out []byte
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "first"},
		{"rev-parse", "HEAD"},
	} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir, string(out[:len(out)-1])
}

func TestWorkTree_CommitAndState(t *testing.T) {
	dir, commit := repository(t)
	if diff := cmp.Diff(&schema.ManifestGit{Commit: commit}, WorkTree(dir, time.Minute)); diff != "" {
		t.Errorf("WorkTree of a clean one (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&schema.ManifestGit{Commit: commit, Dirty: true}, WorkTree(dir, time.Minute)); diff != "" {
		t.Errorf("WorkTree with a new file (-want +got):\n%s", diff)
	}
	for name, dir := range map[string]string{"no repository": t.TempDir(), "no folder": filepath.Join(dir, "none")} {
		if got := WorkTree(dir, time.Minute); got != nil {
			t.Errorf("WorkTree of %s = %+v, want nothing", name, got)
		}
	}
}

func TestRun_Manifest(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy")
	if err := os.WriteFile(policy, []byte("version: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	digest, sum := record.Digest([]byte("version: 1\n")), "sum"
	started := &runner.Execution{RunStarted: &schema.RunStarted{PromptSHA256: schema.Some(sum)}}
	silent := &runner.Execution{RunStarted: &schema.RunStarted{PromptSHA256: schema.Null[string]()}}
	for name, tt := range map[string]struct {
		opts Options
		exec *runner.Execution
		want schema.Manifest
	}{
		"built-in":             {builtin(Builtin{Policy: policy}), started, schema.Manifest{PolicyDigest: &digest, PromptSHA256: &sum}},
		"any other":            {other("agent"), silent, schema.Manifest{}},
		"policy that is gone":  {builtin(Builtin{Policy: policy + "-none"}), silent, schema.Manifest{}},
		"run that never began": {builtin(Builtin{}), &runner.Execution{}, schema.Manifest{}},
	} {
		tt.opts.Workspace, tt.opts.Version = t.TempDir(), "v1"
		tt.want.Versions.Tool = schema.Agent{Name: "openagent", Version: "v1"}
		if diff := cmp.Diff(tt.want, newRun(t, "", tt.opts).manifest(t.Context(), tt.exec)); diff != "" {
			t.Errorf("%s: manifest (-want +got):\n%s", name, diff)
		}
	}
}

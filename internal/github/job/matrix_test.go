package job

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/schema"
)

// matrixWorkflow is the workflow that other repositories call.
const matrixWorkflow = ".github/workflows/matrix.yml"

// releasedAction makes a repository of the action as a release does: a commit with the
// content, then one whose workflow names it. It returns the commits.
func releasedAction(t *testing.T, dir string) (content, tagged string) {
	t.Helper()
	for _, name := range []string{"action.yml", installScript, "go.mod"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), readRoot(t, name), 0o755)
	}
	commit(t, dir)
	content = head(t, dir)
	named := strings.ReplaceAll(readRoot(t, matrixWorkflow), strings.Repeat("0", 40), content)
	write(t, filepath.Join(dir, filepath.FromSlash(matrixWorkflow)), named, 0o644)
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qm", "names its commit"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return content, head(t, dir)
}

func head(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// caller makes a repository with ten scripts and a workflow that calls ours by the
// commit, and a built program.
func caller(t *testing.T, dir, at string) {
	t.Helper()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+string(filepath.Separator), "./cmd/openagent")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for i := range 9 {
		write(t, filepath.Join(dir, "scenarios", fmt.Sprintf("s%d.txtar", i)), "exec true\n", 0o644)
	}
	write(t, filepath.Join(dir, "scenarios", "bad.txtar"), "exec false\n", 0o644)
	write(t, filepath.Join(dir, ".github", "workflows", "test.yml"), `on: push
permissions:
  contents: read
jobs:
  good:
    uses: openagent-ci/openagent/.github/workflows/matrix.yml@`+at+`
    with: {name: good, scenarios: `+"'scenarios/s0.txtar scenarios/s1.txtar scenarios/s2.txtar scenarios/s3.txtar'"+`, shards: 3, binary: bin/openagent}
  all:
    uses: openagent-ci/openagent/.github/workflows/matrix.yml@`+at+`
    with: {name: all, shards: 3, repeat: 2, binary: bin/openagent}
`, 0o644)
	commit(t, dir)
	if out, err := exec.Command("git", "-C", dir, "remote", "add", "origin", "https://github.com/"+jobRepository).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// The workflow that others call shares scripts out among three jobs and makes one
// report, which fails where a script did.
func TestMatrix_InAWorkflow(t *testing.T) {
	act := os.Getenv(actVariable)
	if act == "" {
		t.Skip(actVariable + " names no act; .ci/run builds one and sets it")
	}
	dir := t.TempDir()
	ours, repo, store := filepath.Join(dir, "ours"), filepath.Join(dir, "repo"), filepath.Join(dir, "store")
	content, tagged := releasedAction(t, ours)
	caller(t, repo, tagged)
	standIn := filepath.Join(dir, "download-artifact")
	if err := os.CopyFS(standIn, os.DirFS(filepath.Join("testdata", "act", "download-artifact"))); err != nil {
		t.Fatal(err)
	}
	commit(t, standIn)
	args := append(offline(t, dir),
		"--local-repository", "actions/download-artifact@"+allPins(t)["actions/download-artifact"]+"="+standIn,
		"--local-repository", "openagent-ci/openagent@"+content+"="+ours, "--local-repository", "openagent-ci/openagent@"+tagged+"="+ours,
		"--env", "STORE="+store, "push")
	cmd := exec.Command(act, args...)
	cmd.Dir = repo
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	log, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("act succeeded, want the merge of all to fail")
	}
	for name, want := range map[string]struct{ parts, scripts, failed int }{"good": {3, 4, 0}, "all": {3, 10, 1}} {
		parts, err := filepath.Glob(filepath.Join(store, "artifacts", name+"-part-*"))
		if err != nil || len(parts) != want.parts {
			t.Errorf("%s: %d parts %q, %v, want %d; the log:\n%s", name, len(parts), parts, err, want.parts, log)
			continue
		}
		text, err := os.ReadFile(filepath.Join(store, "artifacts", name+"-merged", "results.json"))
		if err != nil {
			t.Errorf("%s: %v; the log:\n%s", name, err, log)
			continue
		}
		r, err := schema.DecodeTestResults(text)
		failed := 0
		for _, s := range r.Scenarios {
			if r.Fails(s) {
				failed++
			}
		}
		if err != nil || len(r.Planned) != want.scripts || len(r.Scenarios) != want.scripts || failed != want.failed || r.Shard != nil {
			t.Errorf("%s: %v, %d of %d scripts with %d that failed, want %d with %d", name, err, len(r.Scenarios), len(r.Planned), failed, want.scripts, want.failed)
		}
		if _, err := os.Stat(filepath.Join(store, "artifacts", name+"-merged", "report.html")); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(string(log), "## ❌ openagent merge: failure") || !strings.Contains(string(log), "## ✅ openagent merge: success") {
		t.Errorf("the job pages do not have one merge that failed and one that did not; the log:\n%s", log)
	}
}

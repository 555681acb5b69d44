package job

import (
	"fmt"
	"os"
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
	content = inGit(t, dir, "rev-parse", "HEAD")
	named := strings.ReplaceAll(readRoot(t, matrixWorkflow), strings.Repeat("0", 40), content)
	write(t, filepath.Join(dir, filepath.FromSlash(matrixWorkflow)), named, 0o644)
	inGit(t, dir, "add", "-A")
	inGit(t, dir, "commit", "-qm", "names its commit")
	return content, inGit(t, dir, "rev-parse", "HEAD")
}

// caller makes a repository with ten scripts and a workflow that calls ours by the
// commit, and a built program.
func caller(t *testing.T, dir, at string) {
	t.Helper()
	buildProgram(t, dir)
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
	inGit(t, dir, "remote", "add", "origin", "https://github.com/"+jobRepository)
}

// The workflow that others call shares scripts out among three jobs and makes one
// report, which fails where a script did.
func TestMatrix_InAWorkflow(t *testing.T) {
	act := needAct(t)
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
	log, err := runAct(t, act, dir, repo, os.Getenv("PATH"), args)
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
	if !strings.Contains(log, "## ❌ openagent merge: failure") || !strings.Contains(log, "## ✅ openagent merge: success") {
		t.Errorf("the job pages do not have one merge that failed and one that did not; the log:\n%s", log)
	}
}

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

// withRepository makes the workspace a repository with nothing committed.
func withRepository(b *bench) {
	b.t.Helper()
	cmd := exec.Command("git", "init", "--quiet", "--initial-branch=main", b.root)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "HOME=" + b.outside}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git init: %v\n%s", err, out)
	}
}

func TestGitCommit_PayloadAndText(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	b.put("ws/a.txt", "1\n")
	b.put("ws/b.txt", "2\n")
	got, text := want[gitCommitted](b, "git_commit", m{"message": "add a\n\nmore", "files": []string{"./a.txt"}})
	wantCommit := gitCommitted{Commit: got.Commit, Branch: "main", Files: []string{"a.txt"}, Total: 1, Subject: "add a"}
	if diff := cmp.Diff(wantCommit, got); diff != "" || len(got.Commit) != 40 {
		t.Errorf("git_commit (-want +got):\n%s", diff)
	}
	if want := "Committed " + got.Commit + " on main: add a\na.txt"; text != want {
		t.Errorf("git_commit = %q, want %q", text, want)
	}
	if text := b.refused(tool.KindInvalidInput, "git_commit", m{"message": "none", "files": []string{}}); !strings.Contains(text, "leave it out") {
		t.Errorf("git_commit of no files = %q, want the way to all changes", text)
	}
	if got, _ := want[gitCommitted](b, "git_commit", m{"message": "the rest"}); len(got.Files) != 1 || got.Files[0] != "b.txt" {
		t.Errorf("git_commit of all = %+v, want b.txt", got)
	}
	b.refused(tool.KindNothingToCommit, "git_commit", m{"message": "again"})
}

func TestGitCommit_FixedClockMakesTheSameCommit(t *testing.T) {
	var ids []string
	for range 2 {
		b := newBench(t)
		withRepository(b)
		b.put("ws/a.txt", "1\n")
		got, _ := want[gitCommitted](b, "git_commit", m{"message": "m"})
		ids = append(ids, got.Commit)
	}
	if ids[0] != ids[1] {
		t.Errorf("git_commit made %s and %s, want the same on a fixed clock", ids[0], ids[1])
	}
}

func TestGitCommit_Refused(t *testing.T) {
	b := newBench(t)
	if text := b.refused(tool.KindGitFailed, "git_commit", m{"message": "m"}); !strings.Contains(text, "not a git repository") || !strings.Contains(text, "Hint: Go on without") {
		t.Errorf("receipt without a repository = %q, want the way out", text)
	}
	withRepository(b)
	b.put("ws/a", "1")
	b.put("outside/x", "1")
	b.link("../outside", "out")
	for _, message := range []string{"", " \n", "a\x00b"} {
		b.refused(tool.KindInvalidInput, "git_commit", m{"message": message})
	}
	for _, file := range []string{"/etc/passwd", "../outside/x", "a/../../outside/x"} {
		b.refused(tool.KindPathOutsideWorkspace, "git_commit", m{"message": "m", "files": []string{file}})
	}
	b.link(".git", "g")
	for _, file := range []string{".git/config", "a/../.GIT", ".git", "g/config"} {
		b.refused(tool.KindProtectedPath, "git_commit", m{"message": "m", "files": []string{file}})
	}
	there := b.refused(tool.KindPathOutsideWorkspace, "git_commit", m{"message": "m", "files": []string{"out/x"}})
	not := b.refused(tool.KindPathOutsideWorkspace, "git_commit", m{"message": "m", "files": []string{"out/y"}})
	if strings.ReplaceAll(there, "out/x", "out/y") != not {
		t.Errorf("%q and %q tell what is outside", there, not)
	}
	if text := b.refused(tool.KindGitFailed, "git_commit", m{"message": "m", "files": []string{"none"}}); strings.Contains(text, b.root) {
		t.Errorf("receipt = %q, want no path of this machine", text)
	}
}

func TestGitCommit_HintOfGitReachesTheReceipt(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	b.put("ws/a", "1")
	b.put("ws/.git/index.lock", "")
	if text := b.refused(tool.KindGitFailed, "git_commit", m{"message": "m"}); !strings.Contains(text, "\nHint: Another git process holds the lock") {
		t.Errorf("receipt = %q, want the hint about the lock", text)
	}
}

func TestGitCommit_WithoutGit(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Environ = []string{"PATH=" + o.Root} })
	b.put("ws/git", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(b.root, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if text := b.refused(tool.KindGitFailed, "git_commit", m{"message": "m"}); !strings.Contains(text, "git is not installed") || !strings.Contains(text, "Hint: Go on without a commit.") {
		t.Errorf("receipt = %q, want that git is missing and what to do", text)
	}
}

func TestGitCommit_ThroughALinkInside(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	b.put("ws/d/x", "1")
	b.link("d", "l")
	if got, _ := want[gitCommitted](b, "git_commit", m{"message": "m", "files": []string{"l/x"}}); len(got.Files) != 1 || got.Files[0] != "d/x" {
		t.Errorf("git_commit(l/x) = %+v, want the file where it is", got)
	}
	b.put("ws/d/x", "2")
	if got, _ := want[gitCommitted](b, "git_commit", m{"message": "m", "files": []string{"."}}); len(got.Files) != 2 {
		t.Errorf("git_commit(.) = %+v, want everything", got)
	}
}

func TestGitCommit_LinkAsALink(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	b.put("outside/x", "1")
	b.link("../outside/x", "out")
	if got, _ := want[gitCommitted](b, "git_commit", m{"message": "m", "files": []string{"out"}}); len(got.Files) != 1 || got.Files[0] != "out" {
		t.Errorf("git_commit(link) = %+v, want the link itself", got)
	}
}

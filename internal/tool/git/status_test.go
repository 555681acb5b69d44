package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (s *sandbox) status() Status {
	s.t.Helper()
	got, err := s.repo.Status(context.Background())
	if err != nil {
		s.t.Fatalf("Status() = %v", err)
	}
	return got
}

// head returns the id of the last commit.
func (s *sandbox) head() string { return strings.TrimSpace(s.git("rev-parse", "HEAD")) }

func TestStatus_EachKindOfChange(t *testing.T) {
	s := newRepo(t)
	for _, name := range []string{"gone", "staged", "both", "old name", "unstaged"} {
		s.put(name, strings.Repeat(name+" is a file of its own\n", 9))
	}
	s.git("add", "-A")
	s.git("commit", "-qm", "second")
	s.remove("gone")
	s.put("staged", "other\n")
	s.put("both", "other\n")
	s.git("add", "staged", "both")
	s.put("both", "third\n")
	s.put("unstaged", "other\r\n")
	s.git("mv", "old name", "new\nname")
	s.put("dir/ü é.txt", "")
	s.put("added", "")
	s.git("add", "added")
	want := Status{Commit: s.head(), Branch: "main", Entries: []Entry{
		{Path: "added", Index: "A", Worktree: " "},
		{Path: "both", Index: "M", Worktree: "M"},
		{Path: "dir/ü é.txt", Index: "?", Worktree: "?"},
		{Path: "gone", Index: " ", Worktree: "D"},
		{Path: "new\nname", OldPath: "old name", Index: "R", Worktree: " "},
		{Path: "staged", Index: "M", Worktree: " "},
		{Path: "unstaged", Index: " ", Worktree: "M"},
	}}
	if diff := cmp.Diff(want, s.status()); diff != "" {
		t.Errorf("Status() (-want +got):\n%s", diff)
	}
}

func TestStatus_WhereTheBranchStands(t *testing.T) {
	s := newRepo(t)
	if diff := cmp.Diff(Status{Commit: s.head(), Branch: "main"}, s.status()); diff != "" {
		t.Errorf("Status() of a clean branch (-want +got):\n%s", diff)
	}
	s.git("branch", "followed")
	s.git("branch", "-q", "--set-upstream-to=followed", "main")
	s.put("base", "mine\n")
	s.git("commit", "-qam", "mine")
	s.git("checkout", "-q", "followed")
	for range 2 {
		s.git("commit", "-qm", "theirs", "--allow-empty")
	}
	s.git("checkout", "-q", "main")
	if diff := cmp.Diff(Status{Commit: s.head(), Branch: "main", Upstream: "followed", Ahead: 1, Behind: 2}, s.status()); diff != "" {
		t.Errorf("Status() beside its upstream (-want +got):\n%s", diff)
	}
	s.git("branch", "-qD", "followed")
	if diff := cmp.Diff(Status{Commit: s.head(), Branch: "main", Upstream: "followed"}, s.status()); diff != "" {
		t.Errorf("Status() without its upstream (-want +got):\n%s", diff)
	}
	s.git("checkout", "-q", "--detach")
	if diff := cmp.Diff(Status{Commit: s.head(), Branch: "HEAD"}, s.status()); diff != "" {
		t.Errorf("Status() of a detached head (-want +got):\n%s", diff)
	}
}

func TestStatus_BeforeTheFirstCommit(t *testing.T) {
	s := newSandbox(t)
	if _, err := s.repo.Status(context.Background()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Status() without a repository = %v, want %v", err, ErrNoRepository)
	}
	s.git("init", "-q", "-b", "fresh")
	s.put("a", "")
	want := Status{Branch: "fresh", Entries: []Entry{{Path: "a", Index: "?", Worktree: "?"}}}
	if diff := cmp.Diff(want, s.status()); diff != "" {
		t.Errorf("Status() before the first commit (-want +got):\n%s", diff)
	}
}

func TestStatus_Conflict(t *testing.T) {
	s := newRepo(t)
	s.git("checkout", "-qb", "other")
	s.put("base", "other\n")
	s.git("commit", "-qam", "other")
	s.git("checkout", "-q", "main")
	s.put("base", "main\n")
	s.git("commit", "-qam", "main")
	merge := exec.Command("git", "-C", s.root, "merge", "--quiet", "other")
	merge.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost"}
	if err := merge.Run(); err == nil {
		t.Fatal("git merge found no conflict")
	}
	want := []Entry{{Path: "base", Index: "U", Worktree: "U"}}
	if diff := cmp.Diff(want, s.status().Entries); diff != "" {
		t.Errorf("Status() amid a merge (-want +got):\n%s", diff)
	}
}

// A repository in the tree is looked into by nobody: its configuration could
// name programs. The configured monitor and filter of the outer one do not run.
func TestStatus_NothingOfTheRepositoryRuns(t *testing.T) {
	s := newRepo(t)
	s.put("inner/.git/config", "[core]\n\tfsmonitor = touch "+s.root+"/ran\n")
	s.put("inner/.git/HEAD", "ref: refs/heads/main\n")
	s.put("inner/.git/objects/x", "")
	s.put("inner/.git/refs/x", "")
	s.git("config", "core.fsmonitor", "touch "+s.root+"/ran; false")
	s.git("config", "filter.evil.clean", "touch "+s.root+"/ran; cat")
	s.git("config", "filter.evil.required", "true")
	s.put(".gitattributes", "* filter=evil\n")
	s.put("base", "changed\n")
	want := []Entry{{Path: ".gitattributes", Index: "?", Worktree: "?"}, {Path: "base", Index: " ", Worktree: "M"}}
	if diff := cmp.Diff(want, s.status().Entries); diff != "" {
		t.Errorf("Status() (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(s.root + "/ran"); err == nil {
		t.Error("Status() ran a program that the repository named")
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("# branch.head main\x001 M. N... 1 1 1 a b p q\x002 R. N... 1 1 1 a b R100 new\x00old\x00? x\x00u UU N... 1 1 1 1 a b c p")
	f.Add("2 R. N... 1 1 1 a b R100 new")
	f.Add("1 \x00# branch.ab +1\x00#")
	f.Fuzz(func(t *testing.T, out string) {
		for _, e := range parseStatus(fields([]byte(out))).Entries {
			if len(e.Index) != 1 || len(e.Worktree) != 1 {
				t.Errorf("parseStatus(%q) has %+v, want two letters", out, e)
			}
		}
	})
}

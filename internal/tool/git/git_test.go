package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var testDate = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

// sandbox is a folder with the git of this machine.
type sandbox struct {
	t    *testing.T
	root string
	repo *Repo
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, err := New(root, Options{Now: func() time.Time { return testDate }})
	if err != nil {
		t.Fatalf("New(%s) = %v", root, err)
	}
	return &sandbox{t, root, repo}
}

// newRepo is a sandbox with one commit of the file "base".
func newRepo(t *testing.T) *sandbox {
	t.Helper()
	s := newSandbox(t)
	s.put("base", "base\n")
	if _, err := s.repo.Init(context.Background(), "first"); err != nil {
		t.Fatalf("Init(...) = %v", err)
	}
	return s
}

func (s *sandbox) put(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) remove(name string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.root, name)); err != nil {
		s.t.Fatal(err)
	}
}

// git calls git as a user would, to prepare and to look.
func (s *sandbox) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.root + "/none", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *sandbox) commit(message string, files ...string) (Commit, error) {
	return s.repo.Commit(context.Background(), message, files)
}

// committed commits and compares which files the commit has.
func (s *sandbox) committed(want []string, files ...string) Commit {
	s.t.Helper()
	c, err := s.commit("message", files...)
	if err != nil {
		s.t.Fatalf("Commit(%q) = %v", files, err)
	}
	if diff := cmp.Diff(want, c.Files); diff != "" {
		s.t.Errorf("Commit(%q).Files (-want +got):\n%s", files, diff)
	}
	return c
}

func TestInit_DeterministicCommit(t *testing.T) {
	t.Parallel()
	var first Commit
	for i := range 2 {
		s := newSandbox(t)
		s.put("a", "1\n")
		s.put("d/b", "2\n")
		s.put("ignored", "x")
		s.put(".gitignore", "ignored\n")
		got, err := s.repo.Init(context.Background(), "start\n\nmore")
		if err != nil {
			t.Fatalf("Init(...) = %v", err)
		}
		if i == 0 {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("Init(...) of the same files differs (-first +second):\n%s", diff)
		}
		want := Commit{ID: got.ID, Branch: "main", Files: []string{".gitignore", "a", "d/b"}, Subject: "start"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Init(...) (-want +got):\n%s", diff)
		}
		if log := s.git("log", "--format=%an <%ae> %aI %cn %cI %B"); log != "openagent <openagent@localhost> 2024-01-02T03:04:05Z openagent 2024-01-02T03:04:05Z start\n\nmore\n\n" &&
			log != "openagent <openagent@localhost> 2024-01-02T03:04:05+00:00 openagent 2024-01-02T03:04:05+00:00 start\n\nmore\n\n" {
			t.Errorf("git log = %q", log)
		}
	}
	s := newRepo(t)
	if _, err := s.repo.Init(context.Background(), "again"); err == nil {
		t.Error("Init(...) of a repository = no error, want one")
	}
}

func TestCommit_AllChanges(t *testing.T) {
	s := newRepo(t)
	s.put("new", "1")
	s.put("staged", "1")
	s.git("add", "staged")
	s.put("d/e/f", "1")
	s.remove("base")
	if state, err := s.repo.State(context.Background()); !state.Dirty || err != nil {
		t.Errorf("State() = %+v, %v, want dirty true", state, err)
	}
	c := s.committed([]string{"base", "d/e/f", "new", "staged"})
	if head, err := s.repo.Status(context.Background()); err != nil || head.Commit != c.ID || head.Branch != "main" {
		t.Errorf("Status() = %+v, %v, want the new commit", head, err)
	}
	if status := s.git("status", "--porcelain"); status != "" {
		t.Errorf("git status = %q, want nothing left", status)
	}
	if state, err := s.repo.State(context.Background()); state.Dirty || err != nil {
		t.Errorf("State() = %+v, %v, want dirty false", state, err)
	}
	if _, err := s.commit("again"); !errors.Is(err, ErrNothingToCommit) {
		t.Errorf("Commit() = %v, want %v", err, ErrNothingToCommit)
	}
}

func TestCommit_NamedFilesOnly(t *testing.T) {
	s := newRepo(t)
	for _, name := range []string{"a", "b", "staged", "d/x", "d/y"} {
		s.put(name, "1")
	}
	s.git("add", "staged")
	s.committed([]string{"a", "d/x", "d/y"}, "a", "./d/", "base")
	if status := s.git("status", "--porcelain"); status != "A  staged\n?? b\n" {
		t.Errorf("git status = %q, want staged still staged, b still new", status)
	}
	if _, err := s.commit("m", "base"); !errors.Is(err, ErrNothingToCommit) {
		t.Errorf("Commit(unchanged) = %v, want %v", err, ErrNothingToCommit)
	}
	s.committed([]string{"b", "staged"}, ".")
}

func TestCommit_WorkTreeIsTheTruth(t *testing.T) {
	s := newRepo(t)
	s.put("a", "staged")
	s.git("add", "a")
	s.put("a", "later")
	s.put("gone", "x")
	s.git("add", "gone")
	s.remove("gone")
	s.committed([]string{"a"})
	if got := s.git("show", "HEAD:a"); got != "later" {
		t.Errorf("committed content = %q, want that of the work tree", got)
	}
}

func TestCommit_HostileMessages(t *testing.T) {
	t.Parallel()
	s := newRepo(t)
	for i, message := range []string{"-m attack", "--amend", "# not a comment", "ä\n\n# kept\n-- >8 --\nend", "trailing\n\n\n",
		"-", "--", "-F /etc/passwd", "--author=attack <a@b>", "one\ntwo\r\nthree\n\nfour", "Co-authored-by: x\n\n---\nafter", "%H $(id) `id`",
		"long\n\n" + strings.Repeat("a line of the message\n", 100_000/22)} {
		s.put("base", message)
		c, err := s.commit(message)
		if err != nil {
			t.Fatalf("Commit(%q) = %v", message, err)
		}
		if got, want := s.git("cat-file", "commit", c.ID), "\n\n"+strings.TrimRight(message, "\n")+"\n"; !strings.HasSuffix(got, want) {
			t.Errorf("commit %d holds %q, want the message as given", i, got)
		}
	}
}

func TestCommit_RepositorysOwnUser(t *testing.T) {
	s := newRepo(t)
	s.git("config", "user.name", "Some One")
	s.git("config", "user.email", "one@localhost")
	s.put("a", "1")
	s.committed([]string{"a"})
	if got := s.git("log", "-1", "--format=%an %ae %cn %ce"); got != "Some One one@localhost Some One one@localhost\n" {
		t.Errorf("git log = %q, want the repository's user", got)
	}
}

func TestCommit_CallersEnvironmentTakesNoPart(t *testing.T) {
	s := newRepo(t)
	for name, value := range map[string]string{
		"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_AUTHOR_NAME": "attack", "GIT_CONFIG_PARAMETERS": "'user.name=attack'",
		"GIT_EXTERNAL_DIFF": "/bin/false", "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
	} {
		t.Setenv(name, value)
	}
	s.put("a", "1")
	s.committed([]string{"a"})
	if got := s.git("log", "-1", "--format=%an %at"); got != "openagent 1704164645\n" {
		t.Errorf("git log = %q, want nothing of the environment", got)
	}
}

func TestCommit_DetachedHead(t *testing.T) {
	s := newRepo(t)
	s.git("checkout", "--quiet", "--detach")
	s.put("a", "1")
	if c := s.committed([]string{"a"}); c.Branch != "HEAD" {
		t.Errorf("Commit(...).Branch = %q, want HEAD", c.Branch)
	}
}

func TestCommit_BeforeTheFirst(t *testing.T) {
	s := newSandbox(t)
	s.git("init", "--quiet", "--initial-branch=trunk")
	if head, err := s.repo.Status(context.Background()); err != nil || head.Commit != "" || head.Branch != "trunk" {
		t.Errorf("Status() = %+v, %v, want the branch without a commit", head, err)
	}
	if _, err := s.commit("m"); !errors.Is(err, ErrNothingToCommit) {
		t.Errorf("Commit() of nothing = %v, want %v", err, ErrNothingToCommit)
	}
	s.put("a", "1")
	s.committed([]string{"a"})
}

func TestCommit_LinkedWorkTree(t *testing.T) {
	s := newRepo(t)
	s.git("worktree", "add", "--quiet", "-b", "side", filepath.Join(s.root, "..", "side"))
	side := &sandbox{t: t, root: filepath.Join(filepath.Dir(s.root), "side")}
	repo, err := New(side.root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	side.repo = repo
	side.put("a", "1")
	if c := side.committed([]string{"a"}); c.Branch != "side" {
		t.Errorf("Commit(...).Branch = %q, want side", c.Branch)
	}
}

func TestCommit_RefusedWithAWayOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		prepare func(*sandbox)
		files   []string
		text    string
		hint    string
	}{
		{"missing file", func(*sandbox) {}, []string{"none"}, "none does not exist", "list_files"},
		{"ignored file", func(s *sandbox) { s.put(".gitignore", "*.log\n"); s.put("x.log", "") }, []string{"x.log"}, "x.log is ignored", "Leave it out"},
		{"lock", func(s *sandbox) { s.put("a", "1"); s.put(".git/index.lock", "") }, nil, "index.lock", "remove the .lock file"},
		{"merge", func(s *sandbox) { s.put("a", "1"); s.put(".git/MERGE_HEAD", s.git("rev-parse", "HEAD")) }, nil, "a merge is in progress", "abort"},
		{"rebase", func(s *sandbox) { s.put(".git/rebase-merge/x", "") }, nil, "a rebase is in progress", "abort"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newRepo(t)
			test.prepare(s)
			before := s.git("rev-parse", "HEAD")
			_, err := s.commit("m", test.files...)
			var gitErr *Error
			if !errors.As(err, &gitErr) || !strings.Contains(gitErr.Text, test.text) || !strings.Contains(gitErr.Hint, test.hint) {
				t.Fatalf("Commit(...) = %#v, want %q with the hint %q", err, test.text, test.hint)
			}
			if strings.Contains(gitErr.Text, s.root) {
				t.Errorf("Commit(...) = %q, want no path of this machine", gitErr.Text)
			}
			if after := s.git("rev-parse", "HEAD"); after != before {
				t.Errorf("HEAD moved from %s to %s", before, after)
			}
		})
	}
}

func TestCommit_NoRepository(t *testing.T) {
	s := newRepo(t)
	s.put("sub/a", "1")
	repo, err := New(filepath.Join(s.root, "sub"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	_, commitErr := repo.Commit(ctx, "m", nil)
	_, statusErr := repo.Status(ctx)
	_, stateErr := repo.State(ctx)
	for name, err := range map[string]error{"Commit": commitErr, "Status": statusErr, "State": stateErr} {
		if !errors.Is(err, ErrNoRepository) {
			t.Errorf("%s() below a repository = %v, want %v", name, err, ErrNoRepository)
		}
	}
}

func TestCommit_Cancelled(t *testing.T) {
	s := newRepo(t)
	s.put("a", "1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.repo.Commit(ctx, "m", nil); err == nil {
		t.Error("Commit(ended context) = no error, want one")
	}
}

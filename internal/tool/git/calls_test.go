package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
)

func TestFields_RoundTrip(t *testing.T) {
	for _, pieces := range [][]string{nil, {"a"}, {"a", "b c", "d\ne"}, {"a", "", "b"}} {
		if diff := cmp.Diff(pieces, fields(zero(pieces))); diff != "" {
			t.Errorf("fields(zero(%q)) (-want +got):\n%s", pieces, diff)
		}
	}
}

func TestFailure_GitsOwnWordsWithoutThePath(t *testing.T) {
	r := &Repo{root: "/some/where"}
	for _, test := range []struct{ stderr, text, hint string }{
		{"fatal: bad\n", "fatal: bad", ""},
		{"", "git exited with status 128", ""},
		{"error: open /some/where/x: no\n", "error: open x: no", ""},
		{"fatal: Unable to create '/some/where/.git/index.lock': File exists.\n", "fatal: Unable to create '.git/index.lock': File exists.", "Another git process"},
		{"bad \xff byte", "bad \ufffd byte", ""},
	} {
		var got *Error
		err := r.failure("step", proc.Exit{Status: 128}, test.stderr)
		if !errors.As(err, &got) || got.Text != test.text || !strings.HasPrefix(got.Hint, test.hint) || (test.hint == "") != (got.Hint == "") {
			t.Errorf("failure(%q) = %+v, want %q with the hint %q", test.stderr, got, test.text, test.hint)
		}
		if want := "step: " + test.text; err.Error() != want {
			t.Errorf("failure(%q).Error() = %q, want %q", test.stderr, err.Error(), want)
		}
	}
}

func TestCalls_CommandLineAndEnvironment(t *testing.T) {
	t.Setenv("GIT_TRACE", "1")
	t.Setenv("HOME", "/home/attack")
	r := &Repo{root: "/w", binary: "/usr/bin/git", off: []setting{{"filter.a=b.clean", ""}}}
	q := request{args: []string{"status"}, env: []string{"GIT_INDEX_FILE=/i"}}
	args, env := r.arguments(q), r.environment(q)
	if args[0] != "git" || args[len(args)-1] != "status" {
		t.Errorf("arguments(...) = %q, want git ... status", args)
	}
	for _, want := range []string{"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "commit.gpgSign=false", "safe.directory=/w", "safe.bareRepository=explicit"} {
		if i := slices.Index(args, want); i < 1 || args[i-1] != "-c" {
			t.Errorf("arguments(...) = %q, want -c %s", args, want)
		}
	}
	for _, want := range []string{
		"GIT_DIR=" + filepath.Join("/w", ".git"), "GIT_WORK_TREE=/w", "GIT_LITERAL_PATHSPECS=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=filter.a=b.clean", "GIT_CONFIG_VALUE_0=", "GIT_INDEX_FILE=/i",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("environment(...) = %q, want %s", env, want)
		}
	}
	for _, v := range env {
		if strings.HasPrefix(v, "GIT_TRACE") || strings.HasPrefix(v, "HOME=") {
			t.Errorf("environment(...) has %s of the caller, want nothing inherited", v)
		}
	}
}

func TestCalls_TakeNoLongerThanAllowed(t *testing.T) {
	s := newRepo(t)
	s.repo.timeout = time.Nanosecond
	if _, err := s.repo.Status(context.Background()); err == nil || !strings.Contains(err.Error(), "took too long") {
		t.Errorf("Status() within a nanosecond = %v, want an error that says so", err)
	}
}

func TestCalls_BrokenRepositoryIsAnError(t *testing.T) {
	s := newRepo(t)
	s.put(".git/HEAD", "nonsense")
	s.put("a", "1")
	var gitErr *Error
	if _, err := s.commit("m"); !errors.As(err, &gitErr) {
		t.Errorf("Commit() = %v, want git's own error", err)
	}
	if _, err := s.repo.Status(context.Background()); !errors.As(err, &gitErr) {
		t.Errorf("Status() = %v, want git's own error", err)
	}
	if _, err := s.repo.State(context.Background()); !errors.As(err, &gitErr) {
		t.Errorf("State() = %v, want git's own error", err)
	}
}

func TestCommit_ConflictIsRefused(t *testing.T) {
	t.Parallel()
	s := newRepo(t)
	for _, branch := range []string{"other", "main"} {
		if branch == "other" {
			s.git("checkout", "--quiet", "-b", branch)
		} else {
			s.git("checkout", "--quiet", branch)
		}
		s.put("base", branch+"\n")
		s.committed([]string{"base"})
	}
	// What a merge without a commit leaves when its own marks are gone.
	cmd := exec.Command("git", "-C", s.root, "merge", "--quiet", "other")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost"}
	if err := cmd.Run(); err == nil {
		t.Fatal("git merge found no conflict")
	}
	s.remove(".git/MERGE_HEAD")
	var gitErr *Error
	if _, err := s.commit("m"); !errors.As(err, &gitErr) || gitErr.Text != "base has conflicts" {
		t.Errorf("Commit() = %v, want the conflict in base", err)
	}
}

func TestIsUnmerged(t *testing.T) {
	for _, state := range []string{"DD", "AU", "UD", "UA", "DU", "AA", "UU"} {
		if !isUnmerged(state) {
			t.Errorf("isUnmerged(%s) = false, want true", state)
		}
	}
	for _, state := range []string{"??", " M", "M ", "MM", "A ", "AM", "D ", " D", "AD", "T "} {
		if isUnmerged(state) {
			t.Errorf("isUnmerged(%s) = true, want false", state)
		}
	}
}

func TestNamedBy(t *testing.T) {
	for _, test := range []struct {
		path  string
		files []string
		by    string
		ok    bool
	}{
		{"a", nil, "", true},
		{"a", []string{"a"}, "a", true},
		{"a/b", []string{"a"}, "a", true},
		{"ab", []string{"a"}, "", false},
		{"a", []string{"a/b"}, "", false},
		{"a/b", []string{"x", "./a/"}, "./a/", true},
		{"x/y", []string{"."}, ".", true},
		{"A", []string{"a"}, "", false},
	} {
		by, ok := namedBy(test.path, test.files)
		if by != test.by || ok != test.ok {
			t.Errorf("namedBy(%s, %q) = %q, %v, want %q, %v", test.path, test.files, by, ok, test.by, test.ok)
		}
	}
}

func TestSubject(t *testing.T) {
	for give, want := range map[string]string{"one": "one", "\n\n one \ntwo": "one", "a\r\nb": "a", "  ": ""} {
		if got := subject(give); got != want {
			t.Errorf("subject(%q) = %q, want %q", give, got, want)
		}
	}
}

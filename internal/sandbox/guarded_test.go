//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// guardedTree is a workspace with a hook and a workflow, guarded.
func guardedTree(t *testing.T, write ...string) (string, *Guarded) {
	t.Helper()
	root := place(t, ".git/hooks/pre-push", ".git/hooks/pre-commit.sample", ".git/hooks/_/run", ".git/hooks/link -> .git/hooks/pre-push", ".github/workflows/ci.yml", "main.go")
	if err := os.Chmod(filepath.Join(root, ".git/hooks/pre-push"), 0o777); err != nil { // more than the umask leaves
		t.Fatal(err)
	}
	for i := range write {
		write[i] = filepath.Join(root, write[i])
	}
	return root, guard(t, Policy{Workspace: root, Write: write})
}

// guard guards the workspace of a policy as it is.
func guard(t *testing.T, p Policy) *Guarded {
	t.Helper()
	p.Environ = []string{"PATH=" + os.Getenv("PATH")}
	guarded, err := p.Guard(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { guarded.Close() })
	return guarded
}

// state returns what is in a folder, by path, with mode and content.
func state(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		text := info.Mode().String()
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			text += " " + target
		case info.Mode().IsRegular():
			content, _ := os.ReadFile(path)
			text += " " + string(content)
		}
		found[strings.TrimPrefix(path, root)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What a command does to hooks and workflows, whatever it is, is noticed and put
// back.
func TestGuarded_PutsBack(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(at func(string) string) error
		want []string
	}{
		"folders that run nothing": {func(at func(string) string) error { return os.MkdirAll(at(".github/workflows/more"), 0o755) }, nil},
		"nothing":                  {func(func(string) string) error { return nil }, nil},
		"elsewhere":                {func(at func(string) string) error { return os.WriteFile(at("main.go"), nil, 0o644) }, nil},
		"a sample":                 {func(at func(string) string) error { return os.Remove(at(".git/hooks/pre-commit.sample")) }, nil},
		"a new hook":               {func(at func(string) string) error { return os.WriteFile(at(".git/hooks/pre-commit"), nil, 0o755) }, []string{".git/hooks/pre-commit added"}},
		"a sample renamed": {func(at func(string) string) error {
			return os.Rename(at(".git/hooks/pre-commit.sample"), at(".git/hooks/pre-commit"))
		}, []string{".git/hooks/pre-commit added"}},
		"other content": {func(at func(string) string) error {
			return os.WriteFile(at(".git/hooks/pre-push"), []byte("#!/bin/no\n"), 0o755)
		}, []string{".git/hooks/pre-push changed"}},
		"other mode":  {func(at func(string) string) error { return os.Chmod(at(".github/workflows/ci.yml"), 0o600) }, []string{".github/workflows/ci.yml changed"}},
		"a hook less": {func(at func(string) string) error { return os.Remove(at(".git/hooks/pre-push")) }, []string{".git/hooks/pre-push removed"}},
		"a link": {func(at func(string) string) error {
			_ = os.Remove(at(".git/hooks/link"))
			return os.Symlink("/bin/true", at(".git/hooks/link"))
		}, []string{".git/hooks/link changed"}},
		"a pipe":         {func(at func(string) string) error { return syscall.Mkfifo(at(".git/hooks/post-merge"), 0o700) }, []string{".git/hooks/post-merge added"}},
		"a whole folder": {func(at func(string) string) error { return os.RemoveAll(at(".github")) }, []string{".github/workflows removed", ".github/workflows/ci.yml removed"}},
		"another folder": {func(at func(string) string) error {
			if err := os.Rename(at(".git/hooks"), at(".git/away")); err != nil {
				return err
			}
			return os.Symlink("../evil", at(".git/hooks"))
		}, []string{".git/hooks changed", ".git/hooks/_ removed", ".git/hooks/_/run removed", ".git/hooks/link removed", ".git/hooks/pre-push removed"}},
		"another repository": {func(at func(string) string) error {
			return os.WriteFile(at(".git/commondir"), []byte("../evil\n"), 0o644)
		}, []string{".git/commondir added"}},
	} {
		t.Run(name, func(t *testing.T) {
			root, guarded := guardedTree(t)
			before := state(t, filepath.Join(root, ".git/hooks"))
			if err := c.do(func(name string) string { return filepath.Join(root, name) }); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, change := range guarded.Check() {
				if change.Err != nil || change.Config {
					t.Errorf("%+v, want a tampering that was put back", change)
				}
				got = append(got, change.Path+" "+change.What)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			after := state(t, filepath.Join(root, ".git/hooks"))
			delete(before, "/pre-commit.sample")
			delete(after, "/pre-commit.sample")
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("hooks afterwards (-before +after):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(root, ".git/commondir")); err == nil {
				t.Error(".git/commondir is left")
			}
			if text, err := os.ReadFile(filepath.Join(root, ".github/workflows/ci.yml")); err != nil || string(text) != "#!/bin/sh\n" {
				t.Errorf("the workflow is %q, %v", text, err)
			}
			if again := guarded.Check(); len(again) > 0 {
				t.Errorf("the second check finds %+v", again)
			}
		})
	}
}

// The folder above what is guarded may become nothing that leads elsewhere, and comes
// back if it was only moved.
func TestGuarded_TheFolderAbove(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(at func(string) string) error
		want []string
	}{
		"a link in the workspace": {func(at func(string) string) error {
			return errors.Join(os.Rename(at(".git"), at("moved")), os.MkdirAll(at("evil/hooks"), 0o755), os.Symlink("evil", at(".git")))
		}, []string{".git changed"}},
		"a link to elsewhere": {func(at func(string) string) error {
			return errors.Join(os.Rename(at(".git"), at("moved")), os.Symlink("/dev/shm", at(".git")))
		}, []string{".git changed"}},
		"a file that names a folder": {func(at func(string) string) error {
			return errors.Join(os.Rename(at(".git"), at("moved")), os.WriteFile(at(".git"), []byte("gitdir: evil\n"), 0o644))
		}, []string{".git changed"}},
		"workflows by a link": {func(at func(string) string) error {
			return errors.Join(os.Rename(at(".github"), at("moved")), os.MkdirAll(at("evil/workflows"), 0o755), os.Symlink("evil", at(".github")))
		}, []string{".github changed"}},
		"a link, and the folder is lost": {func(at func(string) string) error {
			return errors.Join(os.RemoveAll(at(".git")), os.Symlink("/dev/shm", at(".git")))
		}, []string{".git changed", ".git/hooks removed", ".git/hooks/_ removed", ".git/hooks/_/run removed", ".git/hooks/link removed", ".git/hooks/pre-push removed"}},
		"nobody may look": {func(at func(string) string) error {
			return errors.Join(os.Chmod(at(".git/hooks"), 0), os.Chmod(at(".git"), 0))
		}, []string{".git changed", ".git/hooks changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			root, guarded := guardedTree(t)
			hooks, workflows := state(t, filepath.Join(root, ".git/hooks")), state(t, filepath.Join(root, ".github"))
			if err := c.do(func(name string) string { return filepath.Join(root, name) }); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, change := range guarded.Check() {
				if change.Err != nil || change.Config {
					t.Errorf("%+v, want a tampering that was put back", change)
				}
				got = append(got, change.Path+" "+change.What)
			}
			if strings.HasPrefix(name, "nobody") && len(got) > 2 {
				got = got[:2] // for a user that is not root the hooks were out of sight
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			delete(hooks, "/pre-commit.sample")
			after := state(t, filepath.Join(root, ".git/hooks"))
			delete(after, "/pre-commit.sample")
			if diff := cmp.Diff(hooks, after); diff != "" {
				t.Errorf("hooks afterwards (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(workflows, state(t, filepath.Join(root, ".github"))); diff != "" {
				t.Errorf("workflows afterwards (-before +after):\n%s", diff)
			}
			if again := guarded.Check(); len(again) > 0 {
				t.Errorf("the second check finds %+v", again)
			}
		})
	}
}

// A workspace without a repository gets none by a link, which nobody guards.
func TestGuarded_NoRepositoryByALink(t *testing.T) {
	root := t.TempDir()
	guarded := guard(t, Policy{Workspace: root})
	if err := errors.Join(os.Symlink("/dev/shm", filepath.Join(root, ".git")), os.MkdirAll(filepath.Join(root, ".github"), 0o755)); err != nil {
		t.Fatal(err)
	}
	changes := guarded.Check()
	if len(changes) != 1 || changes[0].Path != ".git" || changes[0].What != "added" || changes[0].Err != nil {
		t.Errorf("changes %+v, want the link alone", changes)
	}
	if _, err := os.Lstat(filepath.Join(root, ".git")); !os.IsNotExist(err) {
		t.Errorf("the link afterwards: %v, want none", err)
	}
}

// What a command shuts behind itself is put back all the same. Root is shut out of
// nothing, so the tests that run as another user prove it.
func TestGuarded_BehindClosedFolders(t *testing.T) {
	root, guarded := guardedTree(t)
	at := func(name string) string { return filepath.Join(root, ".git/hooks", name) }
	before := state(t, at(""))
	if err := errors.Join(os.Remove(at("pre-push")), os.MkdirAll(at("pre-push/deep"), 0o755), os.WriteFile(at("pre-push/deep/x"), nil, 0o644),
		os.WriteFile(at("post-merge"), nil, 0o755), os.Chmod(at("pre-push/deep"), 0), os.Chmod(at("pre-push"), 0), os.Chmod(at(""), 0o555)); err != nil {
		t.Fatal(err)
	}
	for _, change := range guarded.Check() {
		if change.Err != nil {
			t.Errorf("%+v, want it put back", change)
		}
	}
	if diff := cmp.Diff(before, state(t, at(""))); diff != "" {
		t.Errorf("hooks afterwards (-before +after):\n%s", diff)
	}
}

// What the agent itself wrote by its own tools is right, and what somebody opened is
// not guarded.
func TestGuarded_LeavesAlone(t *testing.T) {
	root, guarded := guardedTree(t, ".github/workflows")
	workflow, hook := filepath.Join(root, ".github/workflows/ci.yml"), filepath.Join(root, ".git/hooks/pre-push")
	for _, path := range []string{workflow, hook} {
		if err := os.WriteFile(path, []byte("new"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if changes := guarded.Check(); len(changes) != 1 || changes[0].Path != ".git/hooks/pre-push" {
		t.Errorf("changes are %+v, want the hook alone", changes)
	}
	guarded.Accept(".github/workflows/ci.yml", []byte("new"))
	if changes := guarded.Check(); len(changes) > 0 {
		t.Errorf("afterwards, changes are %+v", changes)
	}
}

// A configuration of git in which more was changed than commands may goes back as it was.
func TestGuarded_GitConfig(t *testing.T) {
	const before = "[core]\n\tbare = false\n\thooksPath = .husky\n[remote \"origin\"]\n\turl = /a\n\tfetch = x\n[user]\n\tname = A\n[lfs]\n\turl = /l\n"
	for name, c := range map[string]struct{ before, after, keys string }{
		"tracked branch":  {before, before + "[branch \"x\"]\n\tremote = origin\n\tmerge = refs/heads/x\n", ""},
		"local branch":    {before, before + "[branch \"x.y\"]\n\tremote = .\n", ""},
		"other remote":    {before, before + "[branch \"x\"]\n\tremote = https://evil.example/x\n", "branch.x.remote"},
		"order and case":  {before, strings.Replace(before, "[core]\n\tbare = false\n\thooksPath", "[core]\n\tBARE = false\n\tHooksPath", 1), ""},
		"who commits":     {before, before + "[user]\n\temail = a\n[advice]\n\tx = false\n[color]\n\tui = true\n[pull]\n\trebase = true\n[push]\n\tdefault = current\n", ""},
		"allowed is gone": {before, strings.Replace(before, "[user]\n\tname = A\n", "", 1), ""},
		"git init":        {"", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n", ""},
		"added":           {before, before + "[core]\n\tfsmonitor = evil\n", "core.fsmonitor"},
		"second value":    {before, before + "[remote \"origin\"]\n\tpushurl = /evil\n\turl = /evil\n", "remote.origin.pushurl, remote.origin.url"},
		"changed":         {before, strings.Replace(before, "/l", "/evil", 1), "lfs.url"},
		"removed":         {before, strings.Replace(before, "\thooksPath = .husky\n", "", 1), "core.hookspath"},
		"file removed":    {before, "", "core.hookspath, lfs.url, remote.origin.fetch, remote.origin.url"},
		"no repository":   {"", "[alias]\n\tx = !evil\n[include]\n\tpath = /evil\n", "alias.x, include.path"},
		"subsection":      {before, before + "[submodule \"a.b\"]\n\turl = /evil\n[bundle]\n\turi = /evil\n", "bundle.uri, submodule.a.b.url"},
		"safe":            {before, before + "[safe]\n\tdirectory = *\n", "safe.directory"},
		"no sign":         {before, before + "[core]\n\tfsmonitor\n", "core.fsmonitor"},
		"broken":          {before, "[core\n", "all"},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := place(t, ".git/hooks/pre-push"), ""
			write := func(text string) {
				path = filepath.Join(root, ".git/config")
				err := os.Remove(path)
				if text != "" {
					err = os.WriteFile(path, []byte(text), 0o644)
				}
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			write(c.before)
			guarded := guard(t, Policy{Workspace: root})
			write(c.after)
			keys, want := "", c.after
			for _, change := range guarded.Check() {
				if change.Err != nil || !change.Config {
					t.Errorf("%+v, want a configuration that was put back", change)
				}
				keys, want = change.What, c.before
			}
			if got, _ := os.ReadFile(path); string(got) != want || keys != c.keys {
				t.Errorf("keys %q, configuration %q\nwant %q, %q", keys, got, c.keys, want)
			}
			if again := guarded.Check(); len(again) > 0 {
				t.Errorf("the second check finds %+v", again)
			}
		})
	}
}

// A configuration that is a link could be changed behind the guard's back.
func TestGuarded_GitConfigBecomesALink(t *testing.T) {
	root := place(t, ".git/config")
	path := filepath.Join(root, ".git/config")
	guarded := guard(t, Policy{Workspace: root})
	if err := os.Rename(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("config2", path); err != nil {
		t.Fatal(err)
	}
	changes := guarded.Check()
	info, err := os.Lstat(path)
	if len(changes) != 1 || changes[0].Err != nil || err != nil || !info.Mode().IsRegular() {
		t.Errorf("changes are %+v and the configuration %v, %v, want a file again", changes, info, err)
	}
}

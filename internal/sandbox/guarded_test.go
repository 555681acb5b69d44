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
	open, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { open.Close() })
	for i := range write {
		write[i] = filepath.Join(root, write[i])
	}
	return root, Policy{Workspace: root, Write: write}.Guard(open)
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
				if change.Err != nil || !change.Tampering {
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
				if change.Err != nil || !change.Tampering {
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
	open, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	guarded := Policy{Workspace: root}.Guard(open)
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
	if err := os.WriteFile(hook, []byte("new"), 0o755); err != nil {
		t.Fatal(err)
	}
	guarded.Accept()
	if changes := guarded.Check(); len(changes) > 0 {
		t.Errorf("after Accept, changes are %+v", changes)
	}
}

func TestGuarded_TooLargeIsSaid(t *testing.T) {
	root := place(t, ".git/hooks/pre-push")
	hook := filepath.Join(root, ".git/hooks/pre-push")
	if err := os.Truncate(hook, maxGuardedFile+1); err != nil {
		t.Fatal(err)
	}
	open, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	guarded := Policy{Workspace: root}.Guard(open)
	if changes := guarded.Check(); len(changes) > 0 {
		t.Errorf("unchanged, changes are %+v", changes)
	}
	if err := os.Truncate(hook, 3); err != nil {
		t.Fatal(err)
	}
	if changes := guarded.Check(); len(changes) != 1 || changes[0].Err != errNotRemembered {
		t.Errorf("changes are %+v, want one that cannot be put back", changes)
	}
}

// Keys of .git/config that run something are put back; all others may be written.
func TestGuarded_GitConfig(t *testing.T) {
	const before = "[core]\n\tbare = false\n\thooksPath = .husky\n[remote \"origin\"]\n\turl = /a\n"
	for name, c := range map[string]struct{ before, after, want, keys string }{
		"harmless":      {before, before + "[branch \"x\"]\n\tremote = origin\n", before + "[branch \"x\"]\n\tremote = origin\n", ""},
		"same in order": {before, "[core]\n\tHooksPath = .husky\n\tbare = false\n", "[core]\n\tHooksPath = .husky\n\tbare = false\n", ""},
		"added":         {"[core]\n\tbare = false\n", "[core]\n\tbare = false\n\tfsmonitor = evil\n", "[core]\n\tbare = false\n", "core.fsmonitor"},
		"changed":       {before, strings.Replace(before, ".husky", "evil", 1), "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = /a\n[core]\n\thooksPath = .husky\n", "core.hookspath"},
		"removed":       {before, "[core]\n\tbare = false\n", "[core]\n\tbare = false\n[core]\n\thooksPath = .husky\n", "core.hookspath"},
		"in one line":   {"", "[core] fsmonitor = evil\n", "[core]\n", "core.fsmonitor"},
		"no sign":       {"", "[core]\n\tfsmonitor\n", "[core]\n", "core.fsmonitor"},
		"comment":       {"", "[core]\n\tfsmonitor # = no\n", "[core]\n", "core.fsmonitor"},
		"upper case":    {"", "[CORE]\n\tSSHCOMMAND=evil", "[CORE]\n", "core.sshcommand"},
		"subsection":    {"", "[filter \"a.b\\\"c\"]\n\tclean = evil\n", "[filter \"a.b\\\"c\"]\n", "filter.a.b\"c.clean"},
		"old style":     {"", "[diff.x]\n\tcommand = evil\n", "[diff.x]\n", "diff.x.command"},
		"continued":     {"", "[alias]\n\tx = !a \\\n b\n[user]\n\tname = A\n", "[alias]\n[user]\n\tname = A\n", "alias.x"},
		"in a string":   {"", "[user]\n\tname = \"a\\\n[core]\"\n\temail = b\n", "[user]\n\tname = \"a\\\n[core]\"\n\temail = b\n", ""},
		"include":       {"", "[include]\n\tpath = /evil\n[includeIf \"gitdir:/\"]\n\tpath = /evil\n", "[include]\n[includeIf \"gitdir:/\"]\n", "include.path, includeif.gitdir:/.path"},
		"kept alias":    {"[alias]\n\tco = checkout\n[alias]\n\tst = status\n", "[alias]\n\tco = !evil\n", "[alias]\n[alias]\n\tco = checkout\n\tst = status\n", "alias.co, alias.st"},
		"other programs": {"", "[tar \"x\"]\n\tcommand = evil\n[gpg \"ssh\"]\n\tdefaultKeyCommand = evil\n[gc]\n\tauto = 0\n\trecentObjectsHook = evil\n[init]\n\ttemplateDir = evil\n[lfs]\n\tfetchinclude = a\n[lfs \"customtransfer.x\"]\n\tpath = evil\n",
			"[tar \"x\"]\n[gpg \"ssh\"]\n[gc]\n\tauto = 0\n[init]\n[lfs]\n\tfetchinclude = a\n[lfs \"customtransfer.x\"]\n", "gc.recentobjectshook, gpg.ssh.defaultkeycommand, init.templatedir, lfs.customtransfer.x.path, tar.x.command"},
		"another way": {"", "[http]\n\tsslVerify = false\n[http \"https://a\"]\n\tproxy = http://evil\n", "[http]\n[http \"https://a\"]\n", "http.https://a.proxy, http.sslverify"},
		"broken":      {before, "[core\n", before, "all"},
		"no section":  {before, "fsmonitor = evil\n", before, "all"},
		"crlf":        {"", "[core]\r\n\tfsmonitor = evil\r\n\tbare = false\r\n", "[core]\r\n\tbare = false\r\n", "core.fsmonitor"},
	} {
		t.Run(name, func(t *testing.T) {
			root, guarded := guardedTree(t)
			path := filepath.Join(root, ".git/config")
			write := func(text string) {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(c.before)
			guarded.Accept()
			write(c.after)
			keys := ""
			for _, change := range guarded.Check() {
				if change.Err != nil || change.Tampering {
					t.Errorf("%+v, want no finding and no error", change)
				}
				keys = change.What
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != c.want || keys != c.keys {
				t.Errorf("keys %q, configuration %q, %v\nwant %q, %q", keys, got, err, c.keys, c.want)
			}
			if again := guarded.Check(); len(again) > 0 {
				t.Errorf("the second check finds %+v", again)
			}
		})
	}
}

// A configuration that is a link could be changed behind the guard's back.
func TestGuarded_GitConfigBecomesALink(t *testing.T) {
	root, guarded := guardedTree(t)
	path := filepath.Join(root, ".git/config")
	if err := os.WriteFile(path, []byte("[core]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	guarded.Accept()
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

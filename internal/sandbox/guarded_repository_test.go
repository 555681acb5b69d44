//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repositories makes a checkout, a linked work tree and a submodule, and returns the
// folder that they lie in with the workspaces by kind.
func repositories(t *testing.T) (top string, workspaces map[string]string) {
	t.Helper()
	top = place(t, "source/a", "main/.husky/pre-push", "main/.github/workflows/ci.yml", "home/")
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", filepath.Join(top, dir), "-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(top, "home"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for _, dir := range []string{"source", "main"} {
		git(dir, "init", "-q")
		git(dir, "add", ".")
		git(dir, "commit", "-q", "-m", "a")
	}
	git("main", "submodule", "--quiet", "add", filepath.Join(top, "source"), "sub")
	git("main", "commit", "-q", "-m", "sub")
	git("main", "worktree", "add", "-q", "../linked")
	git("main", "worktree", "add", "-q", "../other")
	git("main", "config", "core.hooksPath", ".husky")
	if err := os.WriteFile(filepath.Join(top, "main/.git/hooks/pre-push"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return top, map[string]string{"checkout": "main", "linked": "linked", "submodule": "main/sub"}
}

// What leads git elsewhere or makes it run something is put back in all folders of git
// that belong to a workspace, however much it is.
func TestGuarded_Repositories(t *testing.T) {
	top, workspaces := repositories(t)
	write := func(path string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("../evil\n"), 0o755))
	}
	each := func(names ...string) func(dir string) error {
		return func(dir string) (err error) {
			for _, name := range names {
				err = errors.Join(err, write(filepath.Join(dir, name)))
			}
			return err
		}
	}
	for kind, workspace := range workspaces {
		work := filepath.Join(top, workspace)
		own, common := gitFolders(work)
		for _, a := range []struct {
			name, dir string
			do        func(dir string) error
		}{
			{"links of git", own, each("commondir", "gitdir", "config.worktree")},
			{"objects and grafts", common, each("objects/info/alternates", "info/grafts")},
			{"a hook", common, each("hooks/post-checkout")},
			{"the shared configuration", common, func(dir string) error { return os.WriteFile(filepath.Join(dir, "config"), nil, 0o644) }},
			{"folders of git in it", common, each("worktrees/other/commondir", "worktrees/other/config.worktree", "worktrees/new/config.worktree",
				"modules/sub/hooks/post-checkout", "modules/sub/commondir", "modules/a/HEAD", "modules/a/b/HEAD", "modules/a/b/hooks/post-checkout")},
			{"a folder of hooks", work, each(".husky/pre-commit", ".husky/pre-push")},
			{"the link to the repository", work, func(dir string) error {
				return errors.Join(os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "moved")), os.Symlink("evil", filepath.Join(dir, ".git")))
			}},
			{"a hook out of sight", common, func(dir string) error {
				return errors.Join(each("hooks/post-checkout")(dir), os.Chmod(filepath.Join(dir, "hooks/post-checkout"), 0), os.Chmod(filepath.Join(dir, "hooks"), 0o311))
			}},
			{"very many workflows", work, func(dir string) (err error) {
				for i := range 2600 {
					err = errors.Join(err, write(filepath.Join(dir, fmt.Sprintf(".github/workflows/%d.yml", i))))
				}
				return err
			}},
		} {
			if skip := map[string]string{"a folder of hooks": "submodule", "folders of git in it": "submodule"}; skip[a.name] == kind || strings.HasPrefix(a.name, "very") && kind != "checkout" {
				continue // it has none of these, or once is enough
			}
			t.Run(kind+"/"+a.name, func(t *testing.T) {
				guarded, before := guard(t, Policy{Workspace: work}), state(t, top)
				if err := a.do(a.dir); err != nil {
					t.Fatal(err)
				}
				changes := guarded.Check()
				if len(changes) == 0 {
					t.Error("nothing was found")
				}
				for _, c := range changes {
					if c.Err != nil {
						t.Errorf("%+v, want it put back", c)
					}
				}
				after := state(t, top)
				for path, text := range after { // what git makes nothing of may stay
					if _, was := before[path]; !was && (text[0] == 'd' || strings.HasSuffix(path, "/HEAD") || path == "/"+workspace+"/moved") {
						delete(after, path)
					}
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("afterwards (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// Landlock holds the content of hooks outside of the workspace, but not their mode.
func TestGuarded_ModesOutside(t *testing.T) {
	top, workspaces := repositories(t)
	work := filepath.Join(top, workspaces["linked"])
	_, common := gitFolders(work)
	hooks, hook, config := filepath.Join(common, "hooks"), filepath.Join(common, "hooks/pre-push"), filepath.Join(common, "config")
	guarded, err := Policy{Workspace: work}.Guard(func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guarded.Close() })
	before := state(t, top)
	if err := errors.Join(os.Chmod(hook, 0o644), os.Chmod(hooks, 0o311), os.Chmod(config, 0o400)); err != nil {
		t.Fatal(err)
	}
	if changes := guarded.Check(); len(changes) != 3 {
		t.Errorf("changes are %+v, want those of three modes", changes)
	}
	if diff := cmp.Diff(before, state(t, top)); diff != "" {
		t.Errorf("afterwards (-before +after):\n%s", diff)
	}
	// What no command of the run can have done is not its business.
	if err := errors.Join(os.Remove(hook), os.WriteFile(hooks+"/post-merge", nil, 0o755), os.WriteFile(config, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if changes := guarded.Check(); len(changes) > 0 {
		t.Errorf("changes are %+v, want none", changes)
	}
}

// What git and others write by themselves for work trees that a command makes or
// removes stays.
func TestGuarded_WorkTreesOfCommands(t *testing.T) {
	top, _ := repositories(t)
	work := filepath.Join(top, "main")
	guarded := guard(t, Policy{Workspace: work})
	for _, args := range []string{"worktree add -q ../new HEAD", "worktree remove ../other", "branch -q topic", "checkout -q -b x --track topic"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir, cmd.Env = work, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(top, "home")}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if changes := guarded.Check(); len(changes) > 0 {
		t.Errorf("changes are %+v, want none", changes)
	}
}

// What a process plants again each time is not said to be put back.
func TestGuarded_AtWork(t *testing.T) {
	root, guarded := guardedTree(t)
	guarded.trees[0].open = func(string) bool { // which each pass calls first
		_ = os.WriteFile(filepath.Join(root, ".git/hooks/post-merge"), nil, 0o755)
		return false
	}
	if changes := guarded.Check(); len(changes) != 1 || !errors.Is(changes[0].Err, errAtWork) {
		t.Errorf("changes are %+v, want one that cannot be put back", changes)
	}
}

// A file in a folder that nobody may look into is no absence of one.
func TestGuarded_CannotLook(t *testing.T) {
	root, guarded := guardedTree(t)
	if err := guarded.Close(); err != nil { // as if the file system failed
		t.Fatal(err)
	}
	if changes := guarded.Check(); len(changes) == 0 || changes[0].What != notChecked || changes[0].Err == nil {
		t.Errorf("changes of %s are %+v, want it said that nothing can be", root, changes)
	}
}

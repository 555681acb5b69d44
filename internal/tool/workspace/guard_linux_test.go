package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/tool"
)

// planter is a shell script that writes as fast as it can to the paths in $targets.
const planter = `while :; do for f in $targets; do mkdir -p ${f%/*}; echo '[alias] evil = !evil' >>$f; done; echo planted >>planted; done 2>/dev/null`

// A planter at work next to each file tool, as a command in the background or an MCP
// server is one, gets nothing accepted: what the tools wrote is there, and all else as
// it was.
func TestGuard_Planter(t *testing.T) {
	for _, kind := range []string{"checkout", "linked", "submodule"} {
		for _, held := range []bool{true, false} { // within the sandbox, and as where nothing holds it
			t.Run(fmt.Sprintf("%s/%v", kind, held), func(t *testing.T) {
				g := newGuardBench(t, kind)
				before := g.state()
				plant := g.plant(held)
				for try := 0; g.read("planted") == "" && try < 1e6; try++ {
					_, _ = g.call(context.Background(), "list_files", m{})
				}
				want[fileWritten](g.bench, "write_file", m{"path": ".github/workflows/ours.yml", "content": "ours\n"})
				want[fileWritten](g.bench, "write_file", m{"path": "main.go", "content": "ours\n"})
				want[folderCreated](g.bench, "create_directory", m{"path": ".github/workflows/folder"})
				edited, _ := g.call(context.Background(), "edit_file", m{"path": ".github/workflows/ci.yml", "old_text": "ci\n", "new_text": "edited\n"})
				deleted, _ := g.call(context.Background(), "delete_file", m{"path": ".github/workflows/old.yml"})
				plant.Kill()
				plant.Wait(context.Background())
				if found := g.commands.Finish(); found.Err != nil || len(found.Tampered) == 0 {
					t.Errorf("found %+v, want what was planted, put back", found)
				}
				for path, text := range map[string]string{"/.github/workflows/ours.yml": "ours\n", "/main.go": "ours\n"} {
					before[g.name+path] = text
				}
				if edited.Error == nil {
					before[g.name+"/.github/workflows/ci.yml"] = "edited\n"
				}
				if deleted.Error == nil {
					delete(before, g.name+"/.github/workflows/old.yml")
				}
				after := g.state()
				delete(after, g.name+"/planted")
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("afterwards (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestGuard_PlanterAsUser is TestGuard_Planter as a user that is not root.
func TestGuard_PlanterAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestGuard_Planter is as a user already")
	}
	dir, err := os.MkdirTemp("", "guard-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err == nil {
		err = exec.Command("cp", self, filepath.Join(dir, "test")).Run()
	}
	home := filepath.Join(dir, "home")
	if err := errors.Join(err, os.Mkdir(home, 0o700), os.Chown(home, 65534, 65534), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "test"), "-test.run=^TestGuard_Planter$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "--- PASS: TestGuard_Planter/") != 6 {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

// The data of a submodule lies outside the workspace: the error says what opens it,
// whole, however long the path is.
func TestGuard_CommitInASubmodule(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	t.Run("commit", func(t *testing.T) {
		g := newGuardBench(t, "submodule")
		if !g.commands.HoldsMemory() {
			t.Skip("nothing keeps commands from the data of the submodule here")
		}
		want[fileWritten](g.bench, "write_file", m{"path": "new", "content": "new\n"})
		if text, flag := g.refused(tool.KindGitFailed, "git_commit", m{"message": "m"}), "--sandbox-write "+g.top+"/main/.git/modules/sub "; !strings.Contains(text, flag) {
			t.Errorf("git_commit = %q, want %q in its hint", text, flag)
		}
	})
}

// guardBench is a bench in a repository, with a sandbox.
type guardBench struct {
	*bench
	top, name string // the workspace is top/name
	commands  *sandboxexec.Commands
}

func newGuardBench(t *testing.T, kind string) *guardBench {
	g := &guardBench{name: map[string]string{"checkout": "/main", "linked": "/linked", "submodule": "/main/sub"}[kind]}
	g.bench = newBench(t, func(o *Options) {
		g.top = filepath.Dir(o.Root)
		o.Root = g.top + g.name
		files := map[string]string{".github/workflows/ci.yml": "ci\n", ".github/workflows/old.yml": "old\n", ".husky/pre-push": "true\n"}
		for _, repository := range []string{"source", "main"} {
			for name, text := range files {
				at := filepath.Join(g.top, repository, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o755)); err != nil {
					t.Fatal(err)
				}
			}
			g.git(t, repository, "init", "-q")
			g.git(t, repository, "add", ".")
			g.git(t, repository, "commit", "-q", "-m", "a")
		}
		g.git(t, "main", "submodule", "--quiet", "add", g.top+"/source", "sub")
		g.git(t, "main", "worktree", "add", "-q", "../linked")
		g.git(t, strings.TrimPrefix(g.name, "/"), "config", "core.hooksPath", ".husky")
		var err error
		g.commands, err = sandboxexec.Open(sandbox.Policy{Workspace: o.Root, Temp: t.TempDir(), Environ: []string{"HOME=" + g.top + "/home", "PATH=" + os.Getenv("PATH")}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.commands.Close() })
		o.Commands = g.commands
	})
	return g
}

func (g *guardBench) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", filepath.Join(g.top, dir), "-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.top, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// plant starts the planter.
func (g *guardBench) plant(held bool) *proc.Process {
	g.t.Helper()
	t, dir := g.t.(*testing.T), strings.TrimPrefix(g.name, "/")
	own, common := g.git(t, dir, "rev-parse", "--absolute-git-dir"), g.git(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	targets := []string{".github/workflows/evil.yml", ".github/workflows/ci.yml", ".github/workflows/old.yml", ".husky/pre-commit", ".husky/pre-push", common + "/objects/info/alternates"}
	if own != common || own == g.top+g.name+"/.git" {
		targets = append(targets, own+"/commondir", own+"/config.worktree")
	}
	if held || own == g.top+g.name+"/.git" { // elsewhere only the sandbox closes these
		targets = append(targets, common+"/info/grafts", common+"/hooks/pre-commit", common+"/hooks/pre-push", common+"/config")
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "targets=" + strings.Join(targets, " ")}
	start := proc.Start
	if held {
		start, env = g.commands.Start, g.commands.Environ(env)
	}
	p, err := start(proc.Command{Path: "/bin/sh", Args: []string{"sh", "-c", planter}, Dir: g.top + g.name, Env: env})
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

func (g *guardBench) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(g.top+g.name, name))
	return string(text)
}

// state returns the files of all repositories by path, but not folders, which run nothing.
func (g *guardBench) state() map[string]string {
	g.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(g.top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, g.top)] = string(text)
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return files
}

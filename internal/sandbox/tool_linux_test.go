package sandbox_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
)

// call runs a tool of the agent on the scene's machine.
func (s *scene) call(t *testing.T, p sandbox.Policy, name string, arguments any) (tool.Result, string, error) {
	t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	place := process.Env{Dir: s.at("work"), Vars: append(s.policy().Environ, "TMPDIR="+s.dir, "RUNNER_TEMP="+s.at("temp"))}
	c := session.ToolCall{
		Name: name, Arguments: string(encoded), Workspace: s.at("work"), StateDir: s.at("state"), MaxOutput: 4 << 10,
		Masks: redact.New(nil), Sandbox: p,
	}
	return c.Run(t.Context(), &process.Process{Env: place, Err: os.Stderr})
}

// The attacks, made by a command of the agent: each gets through without a sandbox,
// and none where it is required.
func TestAttacks_ByATool(t *testing.T) {
	s := newScene(t)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			target := s.target(t, a)
			line := fmt.Sprintf("%s=%q %s=%q exec %q", attackVariable, a.name, targetVariable, target, s.program)
			s.fill(t)
			_, text, err := s.call(t, sandbox.Policy{Mode: sandbox.Off}, "execute_command", map[string]string{"command": line})
			if err != nil || !strings.Contains(text, "exited with code 0") {
				if a.machine && err == nil {
					t.Skip("this machine refuses it without a sandbox: " + text)
				}
				t.Fatalf("without a sandbox the attack fails: %s, %v", text, err)
			}
			s.fill(t)
			p := sandbox.Policy{Mode: sandbox.Require, Network: a.network, Read: []string{s.program}}
			if s.setuid != "" {
				p.Read = append(p.Read, s.setuid)
			}
			_, text, err = s.call(t, p, "execute_command", map[string]string{"command": line})
			held := strings.Contains(text, "exited with code 1") || a.putBack && strings.Contains(text, "was put back: commands must not change it")
			if err != nil || !held {
				t.Errorf("the attack gets through: %s, %v", text, err)
			}
			s.asBefore(t)
		})
	}
	if left, _ := filepath.Glob(s.at("openagent-sandbox-*")); len(left) > 0 {
		t.Errorf("private folders stay behind: %v", left)
	}
}

func TestAttacks_ByAToolAsUser(t *testing.T) {
	asUser(t, "^TestAttacks_ByATool$", "TestAttacks_ByATool/", 13)
}

// Root is shut out of no folder, so what a command shuts behind itself is put back
// only as a user by more than luck.
func TestGuarded_AsUser(t *testing.T) {
	t.Parallel()
	asUser(t, "^(TestGuarded_.*|TestWall_BoundsProcesses)$", "Test", 11)
}

// asUser runs tests of this program as a user that is not root, of which so many
// parts must pass.
func asUser(t *testing.T, tests, part string, least int) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("the test is as a user already")
	}
	dir := openDir(t)
	program, home := copyProgram(t, filepath.Join(dir, "user.test"), 0o755), filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run="+tests, "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: "+part) < least {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

// A further work tree and its repository are one: git works in it, and the hooks
// that all work trees share stay as they are.
func TestWall_FurtherWorkTree(t *testing.T) {
	s := newScene(t)
	s.fill(t)
	main, further := s.at("main"), s.at("further")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Env = withoutGit(append(os.Environ(), "HOME="+s.at("home")))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", main)
	git("-C", main, "-c", "user.name=n", "-c", "user.email=n@localhost", "commit", "-q", "--allow-empty", "-m", "first")
	git("-C", main, "worktree", "add", "-q", further)
	git("clone", "-q", "--bare", main, s.at("bare")) // it has no logs
	git("-C", s.at("bare"), "worktree", "add", "-q", "-b", "side", s.at("of a bare one"))
	for name, from := range map[string]string{"further": "", "of a bare one": "", "of another": "gitdir: " + filepath.Join(main, ".git/worktrees/further") + "\n"} {
		w := s.at(name)
		if from != "" { // a link that its repository knows nothing of
			w = s.at("stranger")
			if err := os.MkdirAll(w, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(w, ".git"), []byte(from), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p := s.policy()
		p.Workspace = w
		wall, err := sandbox.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		out, status := walled(t, wall, w, "pwd >new; git add new && git -c user.name=n -c user.email=n@localhost commit -q -m second")
		if (status == 0) != (from == "") {
			t.Errorf("%s: a commit ends with %d: %s", name, status, out)
		}
		if out, status := walled(t, wall, w, "echo evil >"+filepath.Join(main, ".git/hooks/pre-commit")); status == 0 {
			t.Errorf("%s: a hook was planted: %s", name, out)
		}
		if err := wall.Close(); err != nil {
			t.Error(err)
		}
	}
}

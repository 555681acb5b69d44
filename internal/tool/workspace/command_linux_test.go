package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/testkit/testenv"
	"github.com/openagent-ci/openagent/internal/tool"
)

// roleVariable makes the test binary play a part in the workspace that
// rootVariable names: what it does to itself must not last.
const (
	roleVariable = "WORKSPACE_TEST_ROLE"
	rootVariable = "WORKSPACE_TEST_ROOT"
)

// patience bounds what should be there at once.
const patience = 30 * time.Second

var roles = map[string]func(*Workspace){
	"full disk": fullDisk,
	"adopter":   adopter,
	"bomb":      bomb,
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		testenv.Clean()
		testenv.Wait()
		os.Exit(m.Run())
	}
	w, err := Open(Options{Root: os.Getenv(rootVariable)})
	if err != nil {
		panic(err)
	}
	role(w)
	os.Exit(0)
}

// play returns a command that plays a role in the workspace.
func (b *bench) play(role string, args ...string) *exec.Cmd {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = b.root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), roleVariable + "=" + role, rootVariable + "=" + b.root, "GORACE=atexit_sleep_ms=0"}
	cmd.Stderr = os.Stderr
	return cmd
}

// try runs a tool of a role's workspace and prints what came of it.
func try(w *Workspace, name string, args m) {
	p, refused := prepare(w, name, args)
	if refused != nil {
		panic(refused.Message)
	}
	out := p.Run(context.Background(), tool.Call{ID: "c", Step: 1})
	if out.Err != nil {
		fmt.Printf("%s: %s\n", out.Err.Kind, out.Err.Message)
		return
	}
	fmt.Println(out.Summary)
}

// fullDisk writes more than a file may hold, which is how a full disk looks in
// the middle of a write.
func fullDisk(w *Workspace) {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
		panic(err)
	}
	for _, name := range []string{"old", "new"} {
		try(w, "write_file", m{"path": name, "content": strings.Repeat("x", 2<<20)})
	}
}

func TestWriteFile_FullDisk(t *testing.T) {
	b := newBench(t)
	b.put("ws/old", "as it was")
	out, err := b.play("full disk").Output()
	want := "io_error: write \"old\": file too large\nio_error: write \"new\": file too large\n"
	if err != nil || string(out) != want {
		t.Errorf("write_file on a full disk = %q, %v, want %q", out, err, want)
	}
	if got := b.get("ws/old"); got != "as it was" {
		t.Errorf("the old file holds %.20q, want it whole", got)
	}
	if entries, _ := os.ReadDir(b.root); len(entries) != 1 {
		t.Errorf("the workspace holds %v, want the old file alone", entries)
	}
}

// adopter runs a command as the agent does.
func adopter(w *Workspace) {
	if err := proc.Adopt(); err != nil {
		panic(err)
	}
	try(w, "execute_command", m{"command": os.Args[1], "timeout_ms": 1000})
}

// Each command leaves processes that hold its output and a pipe of the test,
// which ends when the last of them has.
func TestCommand_NothingOutlivesIt(t *testing.T) {
	for line, outcome := range map[string]string{
		"sleep 999 &":         "command exited with status 0",
		"nohup sleep 999 &":   "command exited with status 0",
		"setsid sleep 999 &":  "command exited with status 0",
		"( (sleep 999 &) & )": "command exited with status 0",
		"setsid sh -c '(setsid sleep 999 &) ; setsid sleep 999 &'": "command exited with status 0",
		"(trap '' HUP INT TERM; sleep 999; sleep 999) &":           "command exited with status 0",
		"sleep 999": "command timed out after 1000 ms",
		"trap '' TERM; sleep 999 & wait; while :; do sleep 999; done": "command timed out after 1000 ms",
		"setsid -w sleep 999":            "command timed out after 1000 ms",
		"kill -STOP $$":                  "command timed out after 1000 ms",
		"env -i /bin/sleep 999 & exit 3": "command exited with status 3",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel() // each has a process of its own
			b := newBench(t)
			path := filepath.Join(b.root, "pipe")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			held, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			if err := held.SetReadDeadline(time.Now().Add(2 * patience)); err != nil {
				t.Fatal(err)
			}
			out, err := b.play("adopter", "exec 9>pipe; echo met >&9; "+line).Output()
			if err != nil || string(out) != outcome+"\n" {
				t.Errorf("execute_command = %q, %v, want %q", out, err, outcome)
			}
			if got, err := io.ReadAll(held); err != nil || string(got) != "met\n" {
				t.Errorf("the pipe gave %q, %v, want it to end: processes are left", got, err)
			}
		})
	}
}

// bombUser is a user that nobody is: the limit counts its processes alone.
const bombUser = 54321

// bombLine sets the limit, makes sure that it holds, and only then begins. The
// limit counts our own threads too; we have none ourselves, as an agent has not:
// a Go program that may not make a thread ends. The shell becomes the sleep: it may
// not start one any more.
const bombLine = `ulimit -p 50 2>/dev/null || ulimit -u 50
[ "$(awk '/Max processes/ {print $3, $4}' /proc/self/limits)" = "50 50" ] || exit 77
bomb() { bomb | bomb & }
bomb 2>/dev/null
exec sleep 999`

func bomb(w *Workspace) {
	if err := proc.Adopt(); err != nil {
		panic(err)
	}
	try(w, "execute_command", m{"command": bombLine, "timeout_ms": 1000})
}

func TestCommand_ProcessBomb(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become a user whose processes are counted apart")
	}
	if left := processesOf(t, bombUser); len(left) > 0 {
		t.Skipf("user %d has processes already: %v", bombUser, left)
	}
	// The folders of other tests are closed to other users.
	open, err := os.MkdirTemp("", "openagent-bomb-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(open)
	b := newBench(t)
	b.root = open
	if err := errors.Join(os.Chmod(open, 0o755), os.Chown(open, bombUser, bombUser)); err != nil {
		t.Fatal(err)
	}
	cmd := b.play("bomb")
	cmd.Path = "/proc/self/exe" // of the child before it is another program: this one
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: bombUser, Gid: bombUser}}
	out, err := cmd.Output()
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		t.Skipf("another user cannot run this test: %v", err)
	}
	if want := "command timed out after 1000 ms\n"; err != nil || string(out) != want {
		t.Errorf("execute_command(bomb) = %q, %v, want %q", out, err, want)
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) { // the dead may not be buried yet
		left := processesOf(t, bombUser)
		if len(left) == 0 {
			break
		}
		if time.Since(begin) > patience {
			t.Fatalf("processes %v are left", left)
		}
	}
}

// processesOf returns the processes of a user.
func processesOf(t *testing.T, uid uint32) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		info, err := os.Stat("/proc/" + e.Name())
		if err != nil {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == uid {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestCommand_Output(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	size := int64(times(100_000_000, 1_000_000_000))
	for i, test := range []struct {
		line  string
		bytes int64
		want  string // the text begins with it
	}{
		{fmt.Sprintf("yes | head -c %d", size), size, "Process exited with code 0\n\nstdout:\ny\ny\n"},
		{fmt.Sprintf("head -c %d /dev/zero", size), size, "Process exited with code 0\n\nstdout:\n\x00\x00"},
		{"head -c 100000 /dev/zero | tr '\\000' x", 100000, "Process exited with code 0\n\nstdout:\nxxx"},
		{`printf '\377\376\000\001'`, 4, "Process exited with code 0\n\nstdout:\n\ufffd\ufffd\x00\x01"},
		{"for c in s l o w; do printf $c; sleep 0.1; done", 4, "Process exited with code 0\n\nstdout:\nslow"},
		{"cat; read line; echo \"<$line>\"; cat /dev/stdin", 3, "Process exited with code 0\n\nstdout:\n<>"},
	} {
		b.step = i + 1
		got, text := want[commandPayload](b, "execute_command", m{"command": test.line})
		if got.StdoutBytes != test.bytes || !strings.HasPrefix(text, test.want) || len(text) > 40<<10 {
			t.Errorf("execute_command(%s) = %d bytes, %.80q, want %d and %q", test.line, got.StdoutBytes, text, test.bytes, test.want)
		}
		if got.StdoutTruncated != (got.StdoutArtifact != nil) || got.StdoutTruncated != (test.bytes > 32<<10) {
			t.Errorf("execute_command(%s): truncated %v, artifacts %v", test.line, got.StdoutTruncated, got.Artifacts)
		}
	}
}

// A command has no way to reach what steers the workflow, for want of its name.
func TestCommand_CannotSteerTheWorkflow(t *testing.T) {
	files := []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}
	b := newBench(t, func(o *Options) {
		o.Environ = []string{"PATH=" + os.Getenv("PATH"), "GITHUB_TOKEN=sk-test-token", "ACTIONS_RUNTIME_TOKEN=sk-test-token"}
		for _, name := range files {
			o.Environ = append(o.Environ, name+"="+filepath.Join(filepath.Dir(o.Root), "outside", name))
		}
	})
	for _, name := range files {
		b.put("outside/"+name, "")
		got, text := want[commandPayload](b, "execute_command", m{"command": `echo attack=1 >> "$` + name + `"`})
		if *got.ExitStatus == 0 || b.get("outside/"+name) != "" {
			t.Errorf("a command that writes to $%s = %q, want it to fail", name, text)
		}
	}
}

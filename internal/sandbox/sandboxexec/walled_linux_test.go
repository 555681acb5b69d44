package sandboxexec_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/platform/proc"
	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
)

// place is a workspace with a wall round it.
type place struct {
	*sandboxexec.Commands
	work, temp string
}

// opened opens a wall round a workspace that has a hook.
func opened(t *testing.T, edit func(*sandbox.Policy)) *place {
	t.Helper()
	p := &place{work: t.TempDir(), temp: t.TempDir()}
	for name, text := range map[string]string{".git/hooks/pre-push": "#!/bin/sh\n", ".git/config": "[core]\n\tbare = false\n"} {
		at := filepath.Join(p.work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	policy := sandbox.Policy{Workspace: p.work, Temp: p.temp, Environ: []string{"HOME=" + filepath.Join(p.temp, "home"), "PATH=/usr/bin:/bin"}}
	if edit != nil {
		edit(&policy)
	}
	var err error
	if p.Commands, err = sandboxexec.Open(policy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// run runs a line of the shell and returns what it printed and its receipt.
func (p *place) run(t *testing.T, line string) (printed string, receipt []string) {
	t.Helper()
	var out bytes.Buffer
	process, err := p.Start(proc.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", line}, Dir: p.work, Env: p.Environ([]string{"PATH=/usr/bin:/bin"}), Stdout: &out, Stderr: nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	exit := process.Wait(t.Context())
	return strings.TrimSpace(out.String()), p.Receipt(p.Signal(exit), out.String())
}

func TestCommands_PutBackAndReport(t *testing.T) {
	p := opened(t, nil)
	if out, receipt := p.run(t, "echo hello"); out != "hello" || receipt != nil {
		t.Errorf("a harmless command prints %q and is told %q, want nothing told", out, receipt)
	}
	_, receipt := p.run(t, "mkdir -p .github/workflows; echo evil >.github/workflows/ci.yml; printf '[alias]\n\tx = !evil\n' >>.git/config")
	want := []string{
		".git/config (alias.x) was put back: commands must not change it",
		".github/workflows/ci.yml (added) was put back: commands must not change it",
	}
	if diff := cmp.Diff(want, receipt); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if _, err := os.Lstat(filepath.Join(p.work, ".github/workflows/ci.yml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the workflow is there: %v", err)
	}
	// A key of git's configuration is no finding: some tools set them.
	if diff := cmp.Diff([]string{".github/workflows/ci.yml (added), which was put back"}, p.Finish().Tampered); diff != "" {
		t.Errorf("tampered (-want +got):\n%s", diff)
	}
}

// Of what the agent's own tools write exactly that stays.
func TestCommands_Write(t *testing.T) {
	p := opened(t, nil)
	ours, evil := filepath.Join(p.work, ".github/workflows/ours.yml"), filepath.Join(p.work, ".github/workflows/evil.yml")
	p.Write(".github/workflows/ours.yml", []byte("ours"), func() bool {
		err := errors.Join(os.MkdirAll(filepath.Dir(ours), 0o755), os.WriteFile(ours, []byte("ours"), 0o644), os.WriteFile(evil, []byte("evil"), 0o644))
		return err == nil
	})
	if p.Holds(".github/workflows/ours.yml", []byte("else")) || !p.Holds(".github/workflows/ours.yml", []byte("ours")) || !p.Holds("main.go", nil) {
		t.Error("Holds of a guarded path is not what was written there")
	}
	if got := p.Finish(); len(got.Tampered) != 1 || got.Err != nil {
		t.Errorf("found %+v, want the file that was planted alone", got)
	}
	if text, err := os.ReadFile(ours); err != nil || string(text) != "ours" {
		t.Errorf("what was written is %q, %v", text, err)
	}
	if _, err := os.Stat(evil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was planted is there: %v", err)
	}
}

func TestCommands_NameTheCommandThatCannotStart(t *testing.T) {
	p := opened(t, nil)
	_, err := p.Start(proc.Command{Path: filepath.Join(p.work, "nowhere"), Args: []string{"nowhere"}, Dir: p.work})
	if err == nil || !strings.Contains(err.Error(), "nowhere: no such file or directory") {
		t.Errorf("Start of nothing: %v, want its name", err)
	}
	_, err = p.Start(proc.Command{Path: "/bin/sh", Args: []string{"sh", "-c", strings.Repeat("x", 1<<20)}, Dir: p.work})
	if err == nil || !strings.Contains(err.Error(), "start /bin/sh: argument list too long") {
		t.Errorf("Start of a long line: %v, want the shell named", err)
	}
}

func TestCommands_ReportALimit(t *testing.T) {
	p := opened(t, func(p *sandbox.Policy) { p.Limits.FileSize = 1024 })
	for _, line := range []string{"head -c 5000 /dev/zero >f", "exec head -c 5000 /dev/zero >f"} {
		if _, receipt := p.run(t, line); !cmp.Equal(receipt, []string{"a limit was hit: file size"}) {
			t.Errorf("%s is told %q, want the limit of file size", line, receipt)
		}
	}
	p = opened(t, func(p *sandbox.Policy) {
		p.Limits = sandbox.Limits{Processes: 100000, OpenFiles: 100000, Memory: 1 << 40}
	})
	for said, want := range map[string]string{
		"sh: 0: Cannot fork":                                                  "processes (--limit processes)",
		"RuntimeError: can't start new thread":                                "processes (--limit processes)",
		"runtime: failed to create new OS thread (have 2; errno=11)":          "processes (--limit processes)",
		"OSError: [Errno 24] Too many open files: 'x'":                        "open files (--limit open-files)",
		"Error: EMFILE: too many open files, open 'x'":                        "open files (--limit open-files)",
		"tail: memory exhausted":                                              "memory (--limit memory)",
		"MemoryError":                                                         "memory (--limit memory)",
		"fatal error: runtime: cannot allocate memory":                        "memory (--limit memory)",
		"cp: error writing 'x': File too large":                               "", // not asked for
		"we forked the project, which has a memory of too many files, opened": "",
	} {
		var wanted []string
		if want != "" {
			wanted = []string{"a limit seems to have been hit: " + want}
		}
		if diff := cmp.Diff(wanted, p.Receipt("", said)); diff != "" {
			t.Errorf("receipt of %q (-want +got):\n%s", said, diff)
		}
	}
	if _, receipt := opened(t, nil).run(t, "echo too many open files"); receipt != nil {
		t.Errorf("words about a limit that was not asked for are told %q", receipt)
	}
	if _, receipt := opened(t, nil).run(t, "exit 153"); receipt != nil {
		t.Errorf("status 153 without a limit is told %q", receipt)
	}
}

func TestCommands_OffLeavesAllAsItIs(t *testing.T) {
	p := opened(t, func(p *sandbox.Policy) { p.Mode = sandbox.Off })
	if _, receipt := p.run(t, "echo evil >.git/hooks/pre-commit"); receipt != nil || p.Finish().Tampered != nil || p.Warning() != "" {
		t.Errorf("without a wall: told %q, tampered %q, warning %q", receipt, p.Finish().Tampered, p.Warning())
	}
	if _, err := os.Stat(filepath.Join(p.work, ".git/hooks/pre-commit")); err != nil {
		t.Error(err)
	}
	if env := p.Environ([]string{"A=1"}); len(env) != 1 {
		t.Errorf("environment without a wall: %q", env)
	}
}

// What is no machine's doing warns nobody.
func TestCommands_Warning(t *testing.T) {
	p := opened(t, func(p *sandbox.Policy) { p.Hidden = []string{filepath.Join(p.Workspace, ".git")} })
	if warning := p.Warning(); strings.Contains(warning, "lies in the workspace") {
		t.Errorf("warning %q of a folder in the workspace", warning)
	}
	p = opened(t, func(p *sandbox.Policy) { p.Presets, p.Environ = []string{"rust"}, []string{"PATH=" + p.Workspace} })
	if warning := p.Warning(); !strings.Contains(warning, "preset rust: none of cargo, rustc is on PATH") {
		t.Errorf("warning %q, want the preset", warning)
	}
	p = opened(t, func(p *sandbox.Policy) { p.Environ = []string{"PATH=/usr/bin:/bin", "HOME=" + p.Workspace} })
	if warning := p.Warning(); !strings.Contains(warning, "the workspace is the home folder") {
		t.Errorf("warning %q, want the home folder", warning)
	}
}

// Any number of commands leaves nothing: no process, no descriptor, no folder.
func TestCommands_LeaveNothing(t *testing.T) {
	n := 50
	if os.Getenv("OPENAGENT_TEST_LONG") != "" {
		n = 1000
	}
	p := opened(t, func(p *sandbox.Policy) { p.Limits.Memory = 1 << 32 })
	count := func(dir string) int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	p.run(t, "true")
	files, folders := count("/proc/self/fd"), count(p.temp)
	for range n {
		if out, receipt := p.run(t, "echo x; sleep 600 >/dev/null 2>&1 &"); out != "x" || receipt != nil {
			t.Fatalf("a command prints %q and is told %q", out, receipt)
		}
	}
	shared := "/dev/shm/openagent-test-" + filepath.Base(filepath.Dir(p.temp))
	p.run(t, "echo x >"+shared)
	if after := count("/proc/self/fd"); after > files+2 {
		t.Errorf("%d descriptors after %d commands, %d before", after, n, files)
	}
	if after := count(p.temp); after != folders {
		t.Errorf("%d folders after %d commands, %d before", after, n, folders)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for sleeping(t, p.work) > 0 && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	if left := sleeping(t, p.work); left > 0 {
		t.Errorf("%d processes are left in the workspace", left)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(shared); err == nil {
		t.Errorf("%s is left after Close", shared)
		os.Remove(shared)
	}
	if left := count(p.temp); left != 0 {
		t.Errorf("%d folders are left after Close", left)
	}
}

// sleeping counts the processes that are in a folder.
func sleeping(t *testing.T, dir string) (n int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && at == dir {
			n++
		}
	}
	return n
}

package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/sandbox"
)

// walled runs a command line of the shell within the wall, and returns what it
// printed on both streams and its exit status.
func walled(t testing.TB, w *sandbox.Wall, dir, line string) (string, int) {
	t.Helper()
	return walledArgs(t, w, dir, "/bin/sh", "sh", "-c", line)
}

func walledArgs(t testing.TB, w *sandbox.Wall, dir, path string, args ...string) (string, int) {
	t.Helper()
	entry, err := w.Enter(path, args, w.Environ(withoutGit(os.Environ())))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Cmd{Path: entry.Path, Args: entry.Args, Env: entry.Env, Dir: dir, ExtraFiles: entry.Files, SysProcAttr: &syscall.SysProcAttr{}}
	if entry.Attr != nil {
		entry.Attr(cmd.SysProcAttr)
	}
	out, err := cmd.CombinedOutput()
	if failure := entry.Failure(); failure != nil {
		t.Fatalf("the command did not start: %v", failure)
	}
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
}

// spent is the processor time in milliseconds of this process or of its children.
func spent(who int) float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(who, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e6
}

func BenchmarkEnter(b *testing.B) {
	dir := b.TempDir()
	_ = os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o700)
	for _, c := range []struct {
		name   string
		policy sandbox.Policy
		plain  bool
	}{
		{"off", sandbox.Policy{Mode: sandbox.Off}, true},
		{"auto", sandbox.Policy{}, true},
		{"mounts", sandbox.Policy{}, false},
		{"loopback", sandbox.Policy{Network: sandbox.NetworkLoopback}, true},
	} {
		c.policy.Workspace, c.policy.Environ = dir, os.Environ()
		if c.plain {
			c.policy.Workspace = b.TempDir()
		}
		b.Run(c.name, func(b *testing.B) {
			w, err := sandbox.Open(c.policy)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			before := spent(syscall.RUSAGE_CHILDREN)
			for range b.N {
				walled(b, w, c.policy.Workspace, "true")
			}
			b.ReportMetric((spent(syscall.RUSAGE_CHILDREN)-before)/float64(b.N), "cpu-ms/op")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	_ = os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o700)
	for _, c := range []struct {
		name   string
		policy sandbox.Policy
	}{{"auto", sandbox.Policy{Workspace: b.TempDir()}}, {"mounts", sandbox.Policy{Workspace: dir}}} {
		c.policy.Environ = os.Environ()
		b.Run(c.name, func(b *testing.B) {
			before := spent(syscall.RUSAGE_SELF)
			defer func() { b.ReportMetric((spent(syscall.RUSAGE_SELF)-before)/float64(b.N), "cpu-ms/op") }()
			for range b.N {
				w, err := sandbox.Open(c.policy)
				if err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

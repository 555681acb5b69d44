package sandbox_test

import (
	"os"
	"os/exec"
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

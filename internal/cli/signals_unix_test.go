//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// patienceForSignals bounds what should be there at once.
const patienceForSignals = 30 * time.Second

// playEarlySignal makes the test binary run its arguments as a command line
// after a signal has come.
func playEarlySignal() int {
	early := make(chan os.Signal, 8)
	signal.Notify(early, syscall.SIGTERM)
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		return 9
	}
	early <- <-early
	p := &program{Process: process.Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Early: early}}
	return p.main(os.Args[1:])
}

// afterASignal runs a command line after a signal, with a standard input that
// has no end.
func afterASignal(t *testing.T, args ...string) (state *os.ProcessState, stdout string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patienceForSignals)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), parserVariable+"=early signal")
	c.Stdin = r
	out, _ := c.Output()
	return c.ProcessState, string(out)
}

// A signal that came before the command was known ends the run all the same,
// and the stream says so.
func TestRun_ASignalThatCameBefore(t *testing.T) {
	state, out := afterASignal(t, "run", "--output=json", "--script=demo", "--state-dir="+t.TempDir(), "-")
	if state.ExitCode() != StatusFailed || !strings.Contains(out, `"exit_reason":"cancelled"`) {
		t.Errorf("run = %v, want status 1 and a stream that ends cancelled:\n%s", state, out)
	}
}

func TestCheck_DiesByASignalThatCameBefore(t *testing.T) {
	state, out := afterASignal(t, "check", "-")
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM || out != "" {
		t.Errorf("check = %v, want it ended by SIGTERM with nothing printed:\n%s", state, out)
	}
}

package main_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waits are command lines that wait for what never comes: FIFO is a pipe that
// nobody opens for writing, STREAM a stream of one line, and standard input a
// pipe that nobody writes to.
func waits() []string {
	return []string{
		"ci --events-file FIFO", "ci --events-file /dev/stdin",
		"ci --golden FIFO --script demo", "ci --golden /dev/stdin --events-file STREAM",
		"ci --policy FIFO --script demo", "ci --prompt-file FIFO --script demo", "ci --system-file FIFO --script demo",
		"ci --script FIFO go", "ci --cassette FIFO go", "ci --events FIFO --script demo", "ci --script demo -",
		"ci --api-key-file FIFO --script demo", "ci --api-key-file FIFO -- true",
		"run --policy FIFO --script demo", "run --prompt-file FIFO --script demo", "run --system-file FIFO --script demo",
		"run --script FIFO go", "run --cassette FIFO go", "run --events FIFO --script demo", "run --script demo -",
		"run --api-key-file FIFO --script demo",
		"check FIFO", "check -", "check /dev/stdin", "parse", "project", "convert --from codex FIFO", "convert --from auto -",
		"golden diff FIFO STREAM", "golden diff STREAM FIFO", "golden diff - STREAM",
		"schema diff FIFO openagent.run_event.v1", "model serve --script FIFO",
	}
}

// waiting starts such a command line and returns it once it waits.
func waiting(t *testing.T, line string, flags ...string) *life {
	t.Helper()
	args := strings.Fields(line)
	if args[0] == "ci" {
		flags = append(flags, "--out=../evidence")
	}
	if args[0] == "run" {
		flags = append(flags, "--output=json")
	}
	l := newLife(t, append(append(args[:1:1], flags...), args[1:]...)...)
	if err := syscall.Mkfifo(l.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path("stream"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, arg := range l.cmd.Args {
		l.cmd.Args[i] = strings.NewReplacer("FIFO", l.path("fifo"), "STREAM", l.path("stream")).Replace(arg)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	l.cmd.Stdin = r
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

// ended checks how a command that waited has ended: a run with the last line of
// a stream, the harness with evidence, each saying why.
func (l *life) ended(t *testing.T, status int, why string) {
	t.Helper()
	switch l.cmd.Args[1] {
	case "run":
		if got := finished(t, l.stdout.Bytes()).Data.Reason; got != why || status != 1 {
			t.Errorf("the run ended %s, status %d, want %s, 1", got, status, why)
		}
	case "ci":
		if got := l.manifest(t).Verdict; got != why || status != 1 {
			t.Errorf("the verdict is %s, status %d, want %s, 1\n%s", got, status, why, &l.stderr)
		}
	case "model":
		if status != 0 {
			t.Errorf("status is %d, want 0\n%s", status, &l.stderr)
		}
	default:
		if !l.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			t.Errorf("status is %d, want it ended by the signal\n%s", status, &l.stderr)
		}
	}
}

// A signal ends every wait for a file, and is told as the documents say.
func TestSignals_EndEveryWait(t *testing.T) {
	t.Parallel()
	for i, line := range waits() {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := waiting(t, line)
			time.Sleep(300 * time.Millisecond) // it waits by then, or ends all the same
			if err := l.cmd.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGINT}[i%2]); err != nil {
				t.Errorf("it ended by itself: %v\n%s", err, &l.stderr)
			}
			l.ended(t, l.wait(t), "cancelled")
		})
	}
}

// So does the time for the run, which is also that for a saved stream.
func TestTimeout_EndsEveryWait(t *testing.T) {
	t.Parallel()
	for _, line := range waits() {
		if !strings.HasPrefix(line, "run ") && !strings.HasPrefix(line, "ci ") {
			continue
		}
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			l := waiting(t, line, "--timeout=200ms")
			l.ended(t, l.wait(t), "timeout")
		})
	}
}

package main_test

import (
	"bufio"
	"iter"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// findStrace returns the path of strace, and skips where it cannot be used.
func findStrace(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace, which counts system calls, is not here")
	}
	if out, err := exec.Command(strace, "-f", "--seccomp-bpf", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v\n%s", err, out)
	}
	if len(buildFlags) > 0 {
		t.Skip("the race detector makes system calls of its own")
	}
	return strace
}

// ownSystemCalls yields the names of the system calls in a trace of strace -f: those of the
// first process, and of each child until it becomes another program.
func ownSystemCalls(t *testing.T, trace string) iter.Seq[string] {
	return func(yield func(name string) bool) {
		f, err := os.Open(trace)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		first, others := "", map[string]bool{}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			thread, call, _ := strings.Cut(lines.Text(), " ")
			name, _, begins := strings.Cut(strings.TrimSpace(call), "(")
			if first == "" {
				first = thread
			}
			if !begins || strings.HasPrefix(name, "<") || others[thread] {
				continue
			}
			others[thread] = name == "execve" && thread != first
			if others[thread] && strings.Contains(call, `execve("/bin/sh", `) {
				continue // by a second thread of the helper that applies the sandbox
			}
			if !yield(name) {
				return
			}
		}
	}
}

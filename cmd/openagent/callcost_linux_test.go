package main_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxSystemCalls is how many calls to the kernel one execute_command may make,
// beside those of the command, by --sandbox. docs/performance.md says what they are.
var maxSystemCalls = map[string]float64{
	"off":  150,
	"auto": 230, // some 80 are the start of the program that enters the sandbox
}

// schedulerCalls are the calls by which Go's scheduler waits and wakes: how many it makes
// depends on how long things take, and so on what else the machine does.
var schedulerCalls = []string{"futex", "nanosleep", "sched_yield", "epoll_pwait", "epoll_wait", "restart_syscall"}

// A tool call makes few calls to the kernel: those between two runs of different
// length, by the tool calls between.
func TestCall_MakesFewSystemCalls(t *testing.T) {
	strace := findStrace(t)
	t.Parallel()
	for sandbox, most := range maxSystemCalls {
		t.Run(sandbox, func(t *testing.T) {
			t.Parallel()
			const few, many = 5, 25
			counted := systemCallsOf(t, strace, sandbox, many)
			for name, n := range systemCallsOf(t, strace, sandbox, few) {
				counted[name] -= n
			}
			all := 0
			var list []string
			for _, name := range slices.SortedFunc(maps.Keys(counted), func(a, b string) int { return counted[b] - counted[a] }) {
				all += counted[name]
				if counted[name] > 0 {
					list = append(list, fmt.Sprintf("%s %.1f", name, float64(counted[name])/(many-few)))
				}
			}
			got := float64(all) / (many - few)
			t.Logf("%.1f system calls each: %s", got, strings.Join(list, ", "))
			if got > most || got < 1 {
				t.Errorf("a tool call makes %.1f system calls, want at most %g", got, most)
			}
		})
	}
}

// systemCallsOf counts the system calls of a run with n tool calls, by name:
// those of its threads, and of each child until it becomes another program.
func systemCallsOf(t *testing.T, strace, sandbox string, n int) map[string]int {
	t.Helper()
	run := openagent(t, writeScript(t, n), "run", "--output", "json", "--sandbox", sandbox)
	// A thread is interrupted where it takes 10 ms, as many do under strace.
	run.Env = append(run.Env, "GODEBUG=asyncpreemptoff=1")
	trace := filepath.Join(t.TempDir(), "trace")
	run.Args = append([]string{"strace", "-f", "-qq", "-s", "0", "-e", "signal=none", "-o", trace}, run.Args...)
	run.Path = strace
	follow(t, run, n)
	counted := map[string]int{}
	for name := range ownSystemCalls(t, trace) {
		if !slices.Contains(schedulerCalls, name) {
			counted[name]++
		}
	}
	return counted
}

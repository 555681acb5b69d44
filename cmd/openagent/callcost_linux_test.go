package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

// savedVariable names a folder in which the bare loop appends a synced line to each of
// three files for a call, as the session and the record of a run have them.
const savedVariable = "OPENAGENT_BENCH_KEPT"

func openSaved() (files []*os.File, err error) {
	dir := os.Getenv(savedVariable)
	for _, name := range []string{"calls", "session", "messages"} {
		if dir == "" {
			break
		}
		f, openErr := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		files, err = append(files, f), errors.Join(err, openErr)
	}
	return files, err
}

// savedLine is about as long as a line of calls.jsonl.
const savedLine = 700

func save(files []*os.File, out []byte) (err error) {
	line := append(bytes.TrimSpace(out), bytes.Repeat([]byte{' '}, savedLine)...)
	for _, f := range files {
		_, writeErr := f.Write(append(line, '\n'))
		err = errors.Join(err, writeErr, f.Sync())
	}
	return err
}

// What a tool call costs without a sandbox, in that of the bare loop that also keeps
// three synced lines of it, less the commands; docs/performance.md says what was
// measured.
const (
	maxCall   = 1.6 // with a script in memory
	maxServed = 1.8 // over a socket, as the bare loop asks
)

// BenchmarkCall measures a call by the difference of runs of many and few, in turns:
// a script in memory, the same over a socket, the bare loop, and the commands alone.
func BenchmarkCall(b *testing.B) {
	builtBinary(b)
	const few, many = 10, 110
	b.Setenv("OPENAGENT_SANDBOX", "off")
	scripts := map[int]string{few: writeScript(b, few), many: writeScript(b, many)}
	ways := []func(n int) sample{
		func(n int) sample { return agentAlone(b, scripts[n], n) },
		func(n int) sample { return agentServed(b, scripts[n], "chat", n) },
		func(n int) sample { return yardstick(b, scripts[n], savedVariable+"="+b.TempDir()) },
	}
	spent := make([][]time.Duration, len(ways))
	b.ResetTimer()
	for range b.N {
		commands := commandsAlone(b, many-few)
		for i, way := range ways {
			fewer := way(few).cpu
			spent[i] = append(spent[i], (way(many).cpu-fewer-commands)/(many-few))
		}
	}
	b.StopTimer()
	middle := func(all []time.Duration) float64 {
		slices.Sort(all)
		return milliseconds(all[len(all)/2])
	}
	ours, served, bare := middle(spent[0]), middle(spent[1]), middle(spent[2])
	b.ReportMetric(ours, "ms/call")
	b.ReportMetric(served, "served-ms/call")
	b.ReportMetric(bare, "bare-ms/call")
	b.ReportMetric(ours/bare, "ratio")
	b.ReportMetric(served/bare, "served-ratio")
	if b.N >= 10 && (ours > maxCall*bare || served > maxServed*bare) {
		b.Errorf("a call takes %.2f times what it takes the bare loop, %.2f over a socket; want at most %g and %g", ours/bare, served/bare, maxCall, maxServed)
	}
}

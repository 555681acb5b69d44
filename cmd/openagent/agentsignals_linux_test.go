package main_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stepsAndSleep is a run of some calls with time to be disturbed in.
func (a realAgent) stepsAndSleep() string {
	return a.call("echo step-0") + a.call("echo step-1; sleep 0.5; echo done") + a.call("echo step-2") + lastTurn
}

// agentMoments disturbs runs of every agent at random moments: f sends a signal
// and checks what is left, and returns a word for that.
func agentMoments(t *testing.T, f func(t *testing.T, l *life, name string, sig syscall.Signal, at time.Duration) string) {
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL}
	eachAgent(t, func(t *testing.T, name string, a realAgent) {
		whole := time.Duration(0)
		for range 2 { // the first may find cold caches
			l, began := a.life(t, name, a.stepsAndSleep()), time.Now()
			if err := l.cmd.Run(); err != nil {
				t.Fatalf("undisturbed: %v\n%s", err, &l.stderr)
			}
			whole = time.Since(began)
		}
		var mu sync.Mutex
		outcomes := map[string]int{}
		atMoments(t, times(len(signals), 6*len(signals)), whole, func(i int, at time.Duration) {
			l, sig := a.life(t, name, a.stepsAndSleep()), signals[i%len(signals)]
			if err := l.cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			got := f(t, l, name, sig, at)
			l.deserted(t)
			l.keyIsNowhere(t)
			mu.Lock()
			defer mu.Unlock()
			outcomes[fmt.Sprint(unix.SignalName(sig), ": ", got)]++
			if t.Failed() {
				t.Logf("%s after %v, moment %d: %s", unix.SignalName(sig), at, i, got)
			}
		})
		t.Logf("a whole run took %v; outcomes %v", whole, outcomes)
	})
}

// A harness that is told to end cancels the agent and says so; one that is killed
// takes all that it started along.
func TestAgents_SignalsToTheHarness(t *testing.T) {
	agentMoments(t, func(t *testing.T, l *life, _ string, sig syscall.Signal, at time.Duration) string {
		time.Sleep(at)
		_ = l.cmd.Process.Signal(sig) // it may have ended
		_ = l.cmd.Wait()
		if l.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			if sig != syscall.SIGKILL && l.stderr.Len() > 0 {
				t.Errorf("the harness died of %v:\n%s", sig, &l.stderr)
			}
			return "died"
		}
		if m := l.manifest(t); m.ExitStatus == nil && m.Signal == nil {
			if m.Verdict != "cancelled" || len(l.stream(t)) > 0 {
				t.Errorf("verdict %s without an agent, want cancelled and no stream:\n%s\n%s", m.Verdict, &l.stderr, l.stream(t))
			}
			return "not started"
		}
		end := l.ending(t)
		want := map[string]string{"cancelled": "cancelled", "success": "ok"}
		if want[end.verdict] != end.reason || end.reason == "" {
			t.Errorf("run ended %s %s, want cancelled cancelled or ok success:\n%s\n%s", end.reason, end.verdict, &l.stderr, l.stream(t))
		}
		return end.verdict
	})
}

// An agent that somebody else ends is a crash, or what its own last line says, as
// the table of terminals has it.
func TestAgents_SignalsToTheAgent(t *testing.T) {
	agentMoments(t, func(t *testing.T, l *life, name string, sig syscall.Signal, at time.Duration) string {
		l.signalAgent(name, sig, at)
		_ = l.cmd.Wait()
		end := l.ending(t)
		got := end.reason + " " + end.verdict
		if want := end.table(); !slices.Contains(want, got) {
			t.Errorf("run ended %s, want one of %q, with %s:\n%s\n%s", got, want, end.process(), &l.stderr, l.stream(t))
		}
		return got
	})
}

// signalAgent sends a signal to the program of an agent some time after it was
// there, unless it has ended.
func (l *life) signalAgent(name string, sig syscall.Signal, after time.Duration) {
	for ; l.runs(); time.Sleep(time.Millisecond) {
		for _, pid := range childrenOf(l.cmd.Process.Pid) {
			argv, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if err != nil || !bytes.Contains(argv, []byte("/"+name+"\x00")) {
				continue
			}
			time.Sleep(after)
			_ = syscall.Kill(pid, sig)
			return
		}
	}
}

// runs reports whether the process has not ended yet.
func (l *life) runs() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", l.cmd.Process.Pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// process says how the agent's process ended.
func (e ending) process() string {
	if e.manifest.Signal != nil {
		return *e.manifest.Signal
	}
	if e.manifest.ExitStatus != nil {
		return fmt.Sprint("exit status ", *e.manifest.ExitStatus)
	}
	return "no end"
}

// table returns the reasons and verdicts that may follow from how the agent's
// process ended and from whether its own last line was read.
func (e ending) table() []string {
	said, clean := e.source.Terminal == "observed", e.process() == "exit status 0"
	switch {
	case said && clean:
		return []string{"ok success", "cancelled failure"} // claude is cancelled with status 0
	case said:
		return []string{"internal_error failure", "provider_error failure", "cancelled failure"}
	case clean:
		// claude ends so when it is interrupted before its first line.
		return []string{"no_terminal_event violation", "stream_invalid violation", "pre_run_error pre_run_error"}
	case e.manifest.Signal == nil:
		if slices.Contains([]int{129, 130, 143}, *e.manifest.ExitStatus) {
			return []string{"cancelled crash"}
		}
		return []string{"no_terminal_event crash", "provider_error crash", "pre_run_error pre_run_error"}
	case strings.Contains("SIGHUP SIGINT SIGTERM", *e.manifest.Signal):
		return []string{"cancelled crash"}
	}
	return []string{"killed crash"}
}

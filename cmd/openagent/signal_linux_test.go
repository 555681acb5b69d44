package main_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// slowestEnd bounds the time from a signal to the end of the agent, as users
// have it.
const slowestEnd = 5 * time.Second

// Whenever a signal comes, the stream is whole and ends once, nobody is left,
// and that does not take long. In the first moments, before Go's runtime and
// the first package of ours are set up, the process can only die in silence.
func TestSignals_AtAnyMoment(t *testing.T) {
	t.Parallel()
	script := thirtyCalls(t)
	start := func() *life { return agent(t, script) }
	whole := span(t, start)
	var mu sync.Mutex
	var elapsed []time.Duration
	outcomes := map[string]int{}
	atMoments(t, times(40, 1000), whole+whole/20, func(i int, at time.Duration) {
		sent := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[i%2]
		l := start()
		if err := l.cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		time.Sleep(at)
		began := time.Now()
		_ = l.cmd.Process.Signal(sent) // it may have ended
		_ = l.cmd.Wait()
		mu.Lock()
		defer mu.Unlock()
		elapsed = append(elapsed, time.Since(began))
		if slow := elapsed[len(elapsed)-1]; slow > slowestEnd/2 {
			t.Logf("moment %d, %v after %v took %v to end:\n%s", i, sent, at, slow, tail(l.stdout.Bytes(), 2000))
		}
		outcomes[outcome(t, l, sent)]++
		if left := l.alive(); len(left) > 0 {
			t.Errorf("%v after %v: processes are left:\n%s", sent, at, strings.Join(left, "\n"))
		}
		if t.Failed() {
			t.Logf("%v after %v, moment %d", sent, at, i)
		}
	})
	p99 := percentile(elapsed, 99)
	t.Logf("a whole run took %v; outcomes %v; from the signal to the end: p50 %v, p99 %v", whole, outcomes, percentile(elapsed, 50), p99)
	if len(buildFlags) == 0 && p99 > slowestEnd {
		t.Errorf("p99 of the time to end is %v, want %v at most", p99, slowestEnd)
	}
	if outcomes["cancelled"] == 0 {
		t.Errorf("outcomes are %v, want runs that were cancelled", outcomes)
	}
}

// tail returns the last bytes of a text.
func tail(text []byte, most int) []byte { return text[max(0, len(text)-most):] }

// outcome checks what a signalled agent printed and how it ended.
func outcome(t *testing.T, l *life, sent syscall.Signal) string {
	t.Helper()
	if status := l.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		if status.Signal() != sent || l.stdout.Len() > 0 {
			t.Errorf("%v ended the agent, want %v and nothing printed:\n%s", status.Signal(), sent, &l.stdout)
		}
		return "died in silence"
	}
	end := finished(t, l.stdout.Bytes())
	got := fmt.Sprintf("%s, status %d", end.Data.Reason, l.cmd.ProcessState.ExitCode())
	if got != "cancelled, status 1" && got != "ok, status 0" {
		t.Errorf("the agent ended with %s, want cancelled, status 1 or ok, status 0:\n%s", got, &l.stderr)
	}
	return end.Data.Reason
}

// A harness that is signalled leaves its evidence at any moment, also while it
// sets out and while it writes it.
func TestSignals_TheHarnessAtAnyMoment(t *testing.T) {
	t.Parallel()
	script := thirtyCalls(t)
	start := func() *life { return harnessed(t, "--script="+script, "go") }
	whole := span(t, start)
	var mu sync.Mutex
	outcomes := map[string]int{}
	atMoments(t, times(15, 1000), whole+whole/20, func(i int, at time.Duration) {
		l := start()
		if err := l.cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		time.Sleep(at)
		_ = l.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		got := l.wait(t)
		mu.Lock()
		defer mu.Unlock()
		if l.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() && l.stderr.Len() == 0 {
			outcomes["died in silence"]++
			if _, err := os.Stat(l.path("evidence")); err == nil {
				t.Errorf("moment %d, %v: the harness died and left an evidence folder without evidence", i, at)
			}
			return
		}
		verdict := l.manifest(t).Verdict
		outcomes[verdict]++
		if want := map[string]int{"cancelled": 1, "success": 0}; got != want[verdict] || verdict != "cancelled" && verdict != "success" {
			t.Errorf("moment %d, %v: verdict %s, status %d, want cancelled, 1 or success, 0:\n%s", i, at, verdict, got, &l.stderr)
		}
		if left := l.alive(); len(left) > 0 {
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
	})
	t.Logf("a whole run took %v; outcomes %v", whole, outcomes)
	if outcomes["cancelled"] == 0 {
		t.Errorf("outcomes are %v, want runs that were cancelled", outcomes)
	}
}

// Signals are caught as soon as the standard library can catch any: no package
// of ours or of others is set up between the two.
func TestSignals_CaughtFirst(t *testing.T) {
	l := newLife(t, "schema", "list")
	l.cmd.Env = append(l.cmd.Env, "GODEBUG=inittrace=1")
	if err := l.cmd.Run(); err != nil {
		t.Fatalf("schema list: %v\n%s", err, &l.stderr)
	}
	_, rest, _ := strings.Cut(l.stderr.String(), "\ninit os/signal ")
	for text := range strings.Lines(rest) {
		name, isInit := strings.CutPrefix(text, "init ")
		name, _, _ = strings.Cut(name, " ")
		first, _, hasPath := strings.Cut(name, "/")
		if !isInit || !hasPath || !strings.Contains(first, ".") {
			continue
		}
		// It is a dependency of others too, and reads one variable.
		if name == "github.com/openagent-ci/openagent/internal/platform/early/guard" {
			continue
		}
		if name != "github.com/openagent-ci/openagent/internal/platform/early/signals" {
			t.Errorf("after os/signal, %s is set up first, want internal/platform/early/signals", name)
		}
		return
	}
	t.Errorf("no package shows in the trace after os/signal:\n%s", &l.stderr)
}

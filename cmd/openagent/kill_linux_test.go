package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/runner"
)

// An agent that is killed at any moment leaves a record that can be read and
// has lost nothing that was told; the harness says crash and ends what the
// agent's commands left behind, in whatever way they tried to stay.
func TestKill_TheAgentUnderTheHarness(t *testing.T) {
	t.Parallel()
	script := thirtyCalls(t)
	start := func() *life { return harnessed(t, "--script="+script, "go") }
	whole := span(t, start)
	var mu sync.Mutex
	outcomes := map[string]int{}
	atMoments(t, times(20, 1000), whole, func(i int, at time.Duration) {
		l := start()
		if err := l.cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		killed := killChild(l.cmd.Process.Pid, at)
		_ = l.cmd.Wait()
		mu.Lock()
		defer mu.Unlock()
		outcomes[l.afterTheKill(t, killed)]++
		l.recordIsWhole(t, l.path("evidence", "artifacts"))
		if left := l.alive(); len(left) > 0 {
			t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
		if t.Failed() {
			t.Logf("killed after %v, moment %d", at, i)
		}
	})
	t.Logf("a whole run took %v; outcomes %v", whole, outcomes)
	if outcomes[string(runner.VerdictCrash)] == 0 {
		t.Errorf("outcomes are %v, want crashes", outcomes)
	}
}

// killChild kills the child of a process some time after the child was there,
// and reports whether there was one.
func killChild(parent int, after time.Duration) bool {
	for over := time.Now().Add(patience); time.Now().Before(over); time.Sleep(time.Millisecond) {
		for _, pid := range childrenOf(parent) {
			argv, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if err != nil || !bytes.Contains(argv, []byte("\x00run\x00")) {
				continue
			}
			time.Sleep(after)
			return syscall.Kill(pid, syscall.SIGKILL) == nil
		}
		if _, err := os.Stat(fmt.Sprintf("/proc/%d/task", parent)); err != nil {
			break
		}
	}
	return false
}

// childrenOf asks /proc for the children of each thread.
func childrenOf(parent int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, name := range lists {
		text, _ := os.ReadFile(name) // none of a thread that has ended
		for _, word := range strings.Fields(string(text)) {
			pid, _ := strconv.Atoi(word)
			pids = append(pids, pid)
		}
	}
	return pids
}

// afterTheKill checks verdict and evidence and returns the verdict.
func (l *life) afterTheKill(t *testing.T, killed bool) string {
	t.Helper()
	text, err := os.ReadFile(l.path("evidence", "manifest.json"))
	if err != nil {
		t.Fatalf("evidence: %v\n%s%s", err, &l.stdout, &l.stderr)
	}
	var m struct {
		Verdict, Reason string
		Signal          *string
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("manifest: %v\n%s", err, text)
	}
	list := events(t, l.stream(t))
	ended := len(list) > 0 && list[len(list)-1].Type == "run_finished"
	want := runner.VerdictSuccess
	switch {
	case !ended:
		want = runner.VerdictCrash
	case m.Signal != nil: // it said that all was well, and was killed then
		want = runner.VerdictViolation
	}
	if m.Verdict != string(want) || !ended && !killed {
		t.Errorf("verdict is %s (%s), killed %v, want %s:\n%s", m.Verdict, m.Reason, killed, want, &l.stderr)
	}
	return m.Verdict
}

func (l *life) stream(t *testing.T) []byte {
	t.Helper()
	stream, err := os.ReadFile(l.path("evidence", "events.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return stream
}

// recordIsWhole checks the run folder below parent against the stream that was
// received, and returns the reason in run.json for which the run ended, empty
// if it does not say.
func (l *life) recordIsWhole(t *testing.T, parent string) (reason string) {
	t.Helper()
	list := events(t, l.stream(t))
	folders, _ := filepath.Glob(filepath.Join(parent, "*", "run.json"))
	if len(folders) == 0 {
		if len(list) > 0 && list[0].Type == "run_started" {
			t.Errorf("the run had started, want a run folder in %s", parent)
		}
		return ""
	}
	text, err := os.ReadFile(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Outcome *struct {
			Reason string `json:"exit_reason"`
		}
	}
	if err := json.Unmarshal(text, &run); err != nil {
		t.Errorf("run.json: %v\n%s", err, text)
	}
	recorded := l.recordedCalls(t, filepath.Dir(folders[0]))
	for _, e := range list {
		if e.Type == "tool_exec_finished" && !recorded[e.Data.ID] {
			t.Errorf("the end of call %s was told, want it in calls.jsonl", e.Data.ID)
		}
	}
	if run.Outcome == nil {
		return ""
	}
	return run.Outcome.Reason
}

// recordedCalls returns the ids in calls.jsonl, where only the last line may be
// torn.
func (l *life) recordedCalls(t *testing.T, folder string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "calls.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for row := range bytes.Lines(text) {
		var call struct{ ID string }
		if err := json.Unmarshal(row, &call); err != nil && bytes.HasSuffix(row, []byte("\n")) {
			t.Errorf("calls.jsonl: %v\n%s", err, row)
		}
		ids[call.ID] = true
	}
	return ids
}

// A harness that is killed takes the agent along: its run ends as cancelled,
// with a whole record, and nobody is left.
func TestKill_TheHarness(t *testing.T) {
	t.Parallel()
	script := thirtyCalls(t)
	start := func() *life { return harnessed(t, "--script="+script, "go") }
	whole := span(t, start)
	var mu sync.Mutex
	var elapsed []time.Duration
	outcomes := map[string]int{}
	atMoments(t, times(20, 1000), whole, func(i int, at time.Duration) {
		l := start()
		if err := l.cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		time.Sleep(at)
		_ = l.cmd.Process.Kill() // it may have ended
		_ = l.cmd.Wait()
		gone := l.deserted(t)
		mu.Lock()
		defer mu.Unlock()
		elapsed = append(elapsed, gone)
		parents, _ := filepath.Glob(l.path("tmp", "openagent-ci-*", "artifacts"))
		reason := "none: no record"
		for _, parent := range append(parents, l.path("evidence", "artifacts")) {
			if folders, _ := filepath.Glob(filepath.Join(parent, "*", "run.json")); len(folders) == 0 {
				continue
			}
			// The stdout of the agent is gone a moment before it is told to end, and what
			// it prints in that moment is lost.
			if reason = l.recordIsWhole(t, parent); reason != "cancelled" && reason != "ok" && reason != "internal_error" {
				t.Errorf("run.json gives %q as the reason, want cancelled or ok, or internal_error where an event was lost", reason)
			}
		}
		outcomes[reason]++
		if t.Failed() {
			t.Logf("killed after %v, moment %d", at, i)
		}
	})
	t.Logf("a whole run took %v; outcomes %v; until nobody was left: p50 %v, p99 %v",
		whole, outcomes, percentile(elapsed, 50), percentile(elapsed, 99))
	if outcomes["cancelled"] <= outcomes["internal_error"] {
		t.Errorf("outcomes are %v, want runs that were cancelled", outcomes)
	}
}

// What an agent that is not ours starts goes with a harness that is killed, even
// if it ignores every polite signal, hides in sessions of its own, has lost its
// parents, or has given its environment up as the child of one that has not.
func TestKill_TheHarnessOfAnotherAgent(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "agent.sh")
	text := `trap '' TERM HUP INT PIPE
sleep 999 & setsid sleep 999 & nohup sleep 999 & (setsid sh -c 'sleep 999; true' &) ; env -i sleep 999 &
sleep 0.05
echo '{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-03-03T20:11:12Z","run_id":"r","step":0,"type":"run_started","data":{}}'
while :; do sleep 1; done
`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var elapsed []time.Duration
	atMoments(t, times(6, 100), 300*time.Millisecond, func(_ int, at time.Duration) {
		l := harnessed(t, "--", "sh", script)
		if err := l.cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		time.Sleep(at)
		if err := l.cmd.Process.Kill(); err != nil {
			t.Errorf("kill: %v, want the harness alive", err)
		}
		_ = l.cmd.Wait()
		gone := l.deserted(t)
		mu.Lock()
		defer mu.Unlock()
		elapsed = append(elapsed, gone)
	})
	t.Logf("until nobody was left: p50 %v, longest %v", percentile(elapsed, 50), percentile(elapsed, 100))
}

// The temporary folder of a run, with the home that the agent had, goes with a
// harness that is killed; what a link in it leads to stays.
func TestKill_TheHarnessLeavesNoFolder(t *testing.T) {
	t.Parallel()
	l := harnessed(t, "--sandbox=off", "--", "sh", "-c", `cd "$OPENAGENT_ARTIFACTS_DIR/.." && mkdir home && echo text > home/file && ln -s "$0" home/link && echo ready >&2 && sleep 999`)
	other := l.path("home", "kept")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.cmd.Args = append(l.cmd.Args, l.path("home"))
	l.cmd.Stderr = nil
	stderr, err := l.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan() && !strings.Contains(lines.Text(), "ready"); {
		l.stderr.WriteString(lines.Text())
	}
	folders, _ := filepath.Glob(l.path("tmp", "openagent-ci-*", "home", "file"))
	if err := l.cmd.Process.Kill(); err != nil || len(folders) != 1 {
		t.Errorf("kill: %v, folders %v, want the harness alive and one folder\n%s", err, folders, &l.stderr)
	}
	_ = l.cmd.Wait()
	l.deserted(t)
	if left, _ := filepath.Glob(l.path("tmp", "*")); len(left) > 0 {
		t.Errorf("left: %v, want no folder", left)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

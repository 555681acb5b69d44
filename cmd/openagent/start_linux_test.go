package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// maxStart bounds the processor time of openagent --version, in that of a bare
// program with net/http. docs/performance.md says where it comes from; a library
// that only some commands need may raise it by a sixth at most.
const maxStart = 5.0

// BenchmarkStart starts the two in turns, so that what the machine does besides
// meets both, and fails when the start has become dearer.
func BenchmarkStart(b *testing.B) {
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	bare := filepath.Join(b.TempDir(), "bare")
	args := append([]string{"build", "-o", bare}, buildFlags...)
	if out, err := exec.Command("go", append(args, "./testdata/bare")...).CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	ours := func() time.Duration { return startOf(b, path, "--version") }
	compareStarts(b, ours, func() time.Duration { return startOf(b, bare) }, maxStart)
}

// maxHarness bounds the processor time of openagent ci with an agent that prints
// two lines, in starts of openagent --version: its own start is one of them.
const maxHarness = 2.6

// BenchmarkStart_Harness runs ci and the start alone in turns, and fails when what
// ci does once a run has become dearer.
func BenchmarkStart_Harness(b *testing.B) {
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	stream := filepath.Join(b.TempDir(), "stream.jsonl")
	if err := os.WriteFile(stream, []byte(goodStream), 0o600); err != nil {
		b.Fatal(err)
	}
	evidence := filepath.Join(b.TempDir(), "evidence")
	ci := func() time.Duration {
		defer os.RemoveAll(evidence)
		return startOf(b, path, "ci", "--out", evidence, "--", "cat", stream)
	}
	compareStarts(b, ci, func() time.Duration { return startOf(b, path, "--version") }, maxHarness)
}

// compareStarts calls the two in turns and fails when the middle ratio of their
// processor times is above most.
func compareStarts(b *testing.B, ours, theirs func() time.Duration, most float64) {
	ours()
	theirs()
	var times, yardsticks []time.Duration
	var ratios []float64
	b.ResetTimer()
	for range b.N {
		o, t := ours(), theirs()
		times, yardsticks = append(times, o), append(yardsticks, t)
		ratios = append(ratios, float64(o)/float64(t))
	}
	b.StopTimer()
	slices.Sort(times)
	slices.Sort(yardsticks)
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	b.ReportMetric(milliseconds(times[len(times)/2]), "cpu-ms")
	b.ReportMetric(milliseconds(yardsticks[len(yardsticks)/2]), "bare-cpu-ms")
	b.ReportMetric(ratio, "ratio")
	if b.N >= 50 && ratio > most {
		b.Errorf("it takes %.2f times the processor time of the other, want at most %.2f", ratio, most)
	}
}

// startOf returns the processor time of a program from its start to its end.
func startOf(b *testing.B, path string, args ...string) time.Duration {
	c := exec.Command(path, args...)
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", path, err, out)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// A guard waits before any package is set up that only commands need: nearly
// every guard is killed while it waits.
func TestGuard_WaitsBeforeTheRest(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	guard := exec.Command(bin)
	guard.Env = []string{"OPENAGENT_GUARD=NOBODY=has this", "GODEBUG=inittrace=1"}
	var trace strings.Builder
	guard.Stderr = &trace
	harness, err := guard.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: it waits.
	if _, err := harness.Write(make([]byte, 128<<10)); err != nil {
		t.Errorf("the guard does not wait: %v", err)
	}
	_ = guard.Process.Kill()
	_ = guard.Wait()
	if got := trace.String(); !strings.Contains(got, "init os ") || strings.Contains(got, "init github.com/") {
		t.Errorf("before the guard waited these were set up, want none but the standard library's:\n%s", got)
	}
}

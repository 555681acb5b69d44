package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/sandbox/enter"
)

// What the program costs, in that of a bare program with net/http that is started
// in turns with it and takes some 1.6 ms.
const (
	maxFirst   = 9.0  // time until openagent run has printed its first event: 15 ms
	maxHarness = 25.0 // processor time of openagent ci with an agent that prints two lines: 40 ms
)

func BenchmarkStart_FirstEvent(b *testing.B) {
	builtBinary(b)
	script := writeScript(b, 0)
	first := func() time.Duration { return follow(b, openagent(b, script, "run", "--output", "json"), 0).first }
	besideBare(b, maxFirst, first, func(b *testing.B, path string, args ...string) time.Duration {
		started := time.Now()
		cpuOf(b, path, args...)
		return time.Since(started)
	})
}

func BenchmarkStart_Harness(b *testing.B) {
	path := builtBinary(b)
	stream := filepath.Join(b.TempDir(), "stream.jsonl")
	if err := os.WriteFile(stream, []byte(goodStream), 0o600); err != nil {
		b.Fatal(err)
	}
	evidence := filepath.Join(b.TempDir(), "evidence")
	ci := func() time.Duration {
		defer os.RemoveAll(evidence)
		return cpuOf(b, path, "ci", "--out", evidence, "--", "cat", stream)
	}
	besideBare(b, maxHarness, ci, cpuOf)
}

func builtBinary(b *testing.B) string {
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// bareProgram builds the bare program as ours is built.
func bareProgram(b *testing.B) (path string) {
	path = filepath.Join(b.TempDir(), "bare")
	args := append([]string{"build", "-o", path}, buildFlags...)
	if out, err := exec.Command("go", append(args, "./testdata/bare")...).CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// besideBare measures ours and a bare program by theirs, in turns, so that what the
// machine does besides meets both, and fails when the middle ratio is above most.
func besideBare(b *testing.B, most float64, ours func() time.Duration, theirs func(b *testing.B, path string, args ...string) time.Duration) {
	bare := bareProgram(b)
	ours()
	theirs(b, bare)
	var times, yardsticks []time.Duration
	var ratios []float64
	b.ResetTimer()
	for range b.N {
		o, t := ours(), theirs(b, bare)
		times, yardsticks = append(times, o), append(yardsticks, t)
		ratios = append(ratios, float64(o)/float64(t))
	}
	b.StopTimer()
	slices.Sort(times)
	slices.Sort(yardsticks)
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	b.ReportMetric(milliseconds(times[len(times)/2]), "ours-ms")
	b.ReportMetric(milliseconds(yardsticks[len(yardsticks)/2]), "bare-ms")
	b.ReportMetric(ratio, "ratio")
	if b.N >= 50 && ratio > most {
		b.Errorf("it takes %.2f times what the bare program does, want at most %.2f", ratio, most)
	}
}

// cpuOf returns the processor time of a program from its start to its end, with
// that of what it waited for.
func cpuOf(b *testing.B, path string, args ...string) time.Duration {
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
	// Package enter asks only what the program was called.
	got := strings.ReplaceAll(trace.String(), "init github.com/openagent-ci/openagent/internal/sandbox/enter ", "")
	if !strings.Contains(got, "init os ") || strings.Contains(got, "init github.com/") {
		t.Errorf("before the guard waited these were set up, want none but the standard library's:\n%s", got)
	}
}

// A command enters the sandbox before any other package of the program is set up:
// each command would pay for it.
func TestEnter_TakesItsRoleBeforeTheRest(t *testing.T) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := os.Create(filepath.Join(t.TempDir(), "plan")) // without a step
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	command := exec.Cmd{
		Path: bin, Args: []string{enter.Name, "/bin/echo", "echo", "begun"}, Env: []string{"GODEBUG=inittrace=1"}, ExtraFiles: []*os.File{plan, plan},
	}
	out, err := command.CombinedOutput()
	if got := string(out); err != nil || !strings.HasSuffix(got, "begun\n") || !strings.Contains(got, "init os ") || strings.Contains(got, "init github.com/") {
		t.Errorf("%v; before the command began these were set up, want none but the standard library's:\n%s", err, got)
	}
}

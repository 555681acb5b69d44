package main_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHarness_Stream is the price of an event for the whole harness, which
// reads a long stream, judges and saves it. It reports, besides ns/op:
//
//	cpu-µs/event  user and system time of the harness and of cat
//	rss-MB        peak memory of the harness
//
// The stream is as long as the harness keeps: 256 MiB.
func BenchmarkHarness_Stream(b *testing.B) {
	path := filepath.Join(b.TempDir(), "stream.jsonl")
	events := writeStream(b, path, 255<<20)
	var cpu time.Duration
	var rss int64
	for b.Loop() {
		c, peak := harnessOf(b, path)
		cpu += c
		rss = max(rss, peak)
	}
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N*events), "cpu-µs/event")
	b.ReportMetric(float64(rss)/(1<<20), "rss-MB")
}

// A long stream takes no more memory than a short one.
func TestHarness_MemoryOfALongStream(t *testing.T) {
	if len(buildFlags) > 0 {
		t.Skip("the race detector needs memory of its own")
	}
	path := filepath.Join(t.TempDir(), "stream.jsonl")
	writeStream(t, path, 24<<20)
	var peaks []int64
	for range 3 { // when garbage is collected depends on the scheduler
		_, peak := harnessOf(t, path)
		peaks = append(peaks, peak)
	}
	if least := slices.Min(peaks); least == 0 || least > 45e6 {
		t.Errorf("the harness held %d bytes, want 45 MB at most once", peaks)
	}
}

// writeStream writes a clean stream of about so many bytes and returns the
// number of its events.
func writeStream(t testing.TB, path string, size int64) (events int) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	written := int64(0)
	say := func(step int, kind, data string) {
		events++
		n, err := fmt.Fprintf(w, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-03-03T20:11:12.000Z","run_id":"r","step":%d,"type":%q,"data":{%s}}`+"\n",
			events, step, kind, data)
		if err != nil {
			t.Fatal(err)
		}
		written += int64(n)
	}
	preview := strings.Repeat("some text of a file, ", 25)
	say(0, "run_started", "")
	step := 0
	for written < size {
		step++
		call := fmt.Sprintf(`"tool_call_id":"call_%d_0","tool":"read_file"`, step)
		say(step, "step_started", `"step_id":null,"step_index":null,"allowed_tools":null,"enforcement_mode":null`)
		say(step, "tool_call_detected", call)
		say(step, "tool_decision", call+`,"decision":"allow","reason":null,"source":null`)
		say(step, "tool_exec_started", call)
		say(step, "tool_exec_finished", call+`,"ok":true,"content_preview":"`+preview+`","truncated":false,"original_bytes":null`)
	}
	say(step, "run_finished", `"exit_reason":"ok","ok":true,"final_output":"","error":null`)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return events
}

// harnessOf runs the harness over an agent that prints the file.
func harnessOf(t testing.TB, path string) (cpu time.Duration, peak int64) {
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "evidence")
	defer os.RemoveAll(out) // a benchmark would fill the disk
	c := exec.Command(bin, "ci", "--strict", "--sandbox=off", "--out", out, "--", "cat", path)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "GITHUB_ACTIONS=", "RUNNER_TEMP=")
	var text strings.Builder
	c.Stdout = &text
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for tick := time.Tick(20 * time.Millisecond); ; {
		select {
		case <-tick:
			peak = max(peak, peakMemory(c.Process.Pid))
		case err := <-ended:
			if err != nil || !strings.HasPrefix(text.String(), "verdict: success") {
				t.Fatalf("openagent ci: %v\n%s", err, &text)
			}
			return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), peak
		}
	}
}

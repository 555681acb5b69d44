package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/diff"
)

// opened reads a run from a file with that text.
func opened(t testing.TB, text string) (*diff.Run, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return OpenRun(t.Context(), &process.Process{}, path)
}

// The own stream of another agent is converted first.
func TestOpenRun_StreamOfAnotherAgent(t *testing.T) {
	var runs []*diff.Run
	for _, name := range []string{"n1", "two-calls"} {
		r, err := OpenRun(t.Context(), &process.Process{}, "../adapter/testdata/claude/"+name+".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	d := diff.Compare(runs[0], runs[1])
	if d.Counts[diff.Inserted] != 1 || len(d.Calls) != 1 || !strings.HasPrefix(d.Head.Agent, "claude ") || d.Head.Verdict != "success" {
		t.Errorf("the runs differ by %v, the later one is %+v, want one more call of claude", d.Counts, d.Head)
	}
}

// A stream is compared as far as it can be read, but not one that has no event.
func TestOpenRun_BrokenStreams(t *testing.T) {
	const line = `{"schema_version":"openagent.run_event.v1","sequence":1,"ts":"2026-01-01T00:00:00.000Z","run_id":"r","step":0,"type":"run_started","data":{}}`
	for text, want := range map[string]string{
		line + "\n" + line[:40]: "violation",
		"no JSON\n" + line:      "violation",
		line + "\n" + strings.Replace(line, "run_event.v1", "run_event.v9", 1): "violation",
	} {
		if r, err := opened(t, text); err != nil || r.Verdict != want {
			t.Errorf("OpenRun of %q = %+v, %v, want the verdict %s", text, r, err, want)
		}
	}
	for _, text := range []string{"", "\n\n", "{}\n", line[:40], strings.Repeat("\x00", 5000), strings.Replace(line, "run_event.v1", "run_event.v9", 1)} {
		if r, err := opened(t, text); err == nil {
			t.Errorf("OpenRun of %.80q = %+v, want an error", text, r)
		}
	}
}

// stream returns one of about n events, in which every fifth line is a call.
func stream(n int, argument func(int) string) string {
	var b strings.Builder
	sequence := 0
	add := func(step int, kind, data string) {
		sequence++
		fmt.Fprintf(&b, `{"schema_version":"openagent.run_event.v1","sequence":%d,"ts":"2026-01-01T00:00:00.000Z","run_id":"r","step":%d,"type":%q,"data":%s}`+"\n", sequence, step, kind, data)
	}
	add(0, "run_started", "{}")
	for i := 1; sequence < n-1; i++ {
		id := fmt.Sprintf(`"tool_call_id":"c%d","tool":"read_file"`, i)
		add(i, "step_started", fmt.Sprintf(`{"step_id":"s%d","step_index":%d}`, i, i))
		add(i, "tool_call_detected", fmt.Sprintf(`{%s,"arguments_preview":"{\"path\":\"%s\"}"}`, id, argument(i)))
		add(i, "tool_decision", "{"+id+`,"decision":"allow","reason":null,"source":"default"}`)
		add(i, "tool_exec_started", "{"+id+"}")
		add(i, "tool_exec_finished", "{"+id+`,"ok":true,"content_preview":"`+strings.Repeat("x", 200)+`","truncated":false,"original_bytes":null}`)
	}
	add(sequence/5, "run_finished", `{"exit_reason":"ok","ok":true,"final_output":"","error":null}`)
	return b.String()
}

// BenchmarkCompare_10000Events reads two streams and compares them.
func BenchmarkCompare_10000Events(b *testing.B) {
	folder := b.TempDir()
	var names []string
	for i, argument := range []func(int) string{
		func(i int) string { return fmt.Sprint("file", i) },
		func(i int) string { return fmt.Sprint("file", i+i%50/49*10_000) },
	} {
		names = append(names, filepath.Join(folder, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], []byte(stream(10_000, argument)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		var runs []*diff.Run
		for _, name := range names {
			r, err := OpenRun(b.Context(), &process.Process{}, name)
			if err != nil {
				b.Fatal(err)
			}
			runs = append(runs, r)
		}
		if d := diff.Compare(runs[0], runs[1]); d.Counts[diff.Arguments] != 40 {
			b.Fatalf("the streams differ by %v, want 40 calls with other arguments", d.Counts)
		}
	}
}

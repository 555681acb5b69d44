package adapter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/adapter/emit"
	"github.com/openagent-ci/openagent/schema"
)

// BenchmarkConvert converts 2 MB of runs with one call: as they are, and with an output of 64 KiB in place of a short one.
func BenchmarkConvert(b *testing.B) {
	for _, a := range adapter.Agents() {
		text, err := os.ReadFile(filepath.Join("testdata", a.Name, "tool-exit3.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(a.Name, func(b *testing.B) { benchmark(b, a, string(text)) })
		long := strings.ReplaceAll(string(text), "echo to-err", "echo")
		long = strings.ReplaceAll(long, "to-err", strings.Repeat(`a line of \"output\"\n`, 1<<16/20))
		b.Run(a.Name+"-output", func(b *testing.B) { benchmark(b, a, long) })
	}
}

func benchmark(b *testing.B, a *adapter.Agent, run string) {
	runs := max(1, 2<<20/len(run))
	var raw [][]byte
	for line := range strings.Lines(run) {
		raw = append(raw, []byte(line))
	}
	b.SetBytes(int64(runs * len(run)))
	b.ReportAllocs()
	for b.Loop() {
		for range runs {
			c := a.New(emit.Options{RunID: "run-1", Now: time.Now, Saved: true, Emit: func(schema.Event, []byte) {}})
			for _, line := range raw {
				c.Line(line)
			}
			if r := c.Close(exited(0)); r.Class != emit.Success {
				b.Fatalf("conversion of %s ends as %s, want success", a.Name, r.Class)
			}
		}
	}
}

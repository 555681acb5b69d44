package main_test

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/testkit/simulated"
)

// BenchmarkAdd is the price of a thousand folders of evidence with 200 events each, of
// one day, and what they take in the archive.
func BenchmarkAdd(b *testing.B) {
	const n = 1000
	dir, err := built()
	if err != nil {
		b.Fatal(err)
	}
	paths, err := simulated.WriteAll(b.TempDir(), 0, n, simulated.Options{Events: 200, Days: 1})
	if err != nil {
		b.Fatal(err)
	}
	var used time.Duration
	var peak, bytes int64
	for b.Loop() {
		archive := filepath.Join(b.TempDir(), "archive")
		cmd := exec.CommandContext(b.Context(), filepath.Join(dir, "openagent-archive"), add(archive, paths)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		peak = max(peak, usage.Maxrss<<10)
		bytes = 0
		_ = filepath.WalkDir(archive, func(_ string, d fs.DirEntry, err error) error {
			if info, infoErr := d.Info(); err == nil && infoErr == nil && info.Mode().IsRegular() {
				bytes += info.Size()
			}
			return err
		})
	}
	b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(bytes)/n, "bytes/run")
}

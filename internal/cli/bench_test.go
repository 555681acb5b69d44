package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRun_Steps is a run of so many steps inside this process, for
// profiles: go test -run xxx -bench Run_Steps/50 -cpuprofile cpu.out.
func BenchmarkRun_Steps(b *testing.B) {
	for _, steps := range []int{10, 50, 500} {
		b.Run(fmt.Sprint(steps), func(b *testing.B) {
			dir := b.TempDir()
			script := filepath.Join(dir, "s.yaml")
			turns := "- text: done\n"
			for i := range steps - 1 {
				turns = fmt.Sprintf("- tool_calls: [{tool: read_file, arguments: {path: a.txt, max_lines: %d}}]\n", 20+i%2) + turns
			}
			if err := os.WriteFile(script, []byte(turns), 0o666); err != nil {
				b.Fatal(err)
			}
			workspace := filepath.Join(dir, "ws")
			if err := os.Mkdir(workspace, 0o777); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(workspace, "a.txt"), []byte(strings.Repeat("a line of text\n", 20)), 0o666); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				status, _, errs := runLine("", "run", "--script", script, "--output", "json", "--max-steps", "0",
					"--workspace", workspace, "--state-dir", filepath.Join(dir, "state"), "read")
				if status != StatusOK {
					b.Fatalf("status %d: %s", status, errs)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*steps), "µs/step")
		})
	}
}

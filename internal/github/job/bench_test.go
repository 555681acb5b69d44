package job

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// What a job waits for besides the harness: every script of the action, with
// true in the place of a program that is there. "least-ms" is the fastest turn.
// What the runner itself takes to begin a step is not in it.
func BenchmarkAction_Steps(b *testing.B) {
	program, err := exec.LookPath("true")
	if err != nil {
		b.Skip("needs a program that does nothing")
	}
	action, err := filepath.Abs(root)
	if err != nil {
		b.Fatal(err)
	}
	env := []string{"RUNNER_TEMP=" + b.TempDir(), "GITHUB_ACTION_PATH=" + action, "ACTION_UPLOAD=auto", "ACTION_BINARY=" + program,
		"ACTION_BUILD=false", "ACTION_VERSION=", "ACTION_COMMAND=", "ACTION_PROMPT=", "ACTION_EVIDENCE=."}
	var least time.Duration
	for b.Loop() {
		start := time.Now()
		output, _ := script(b, "prepare", env...)
		turn := append(env, "ACTION_DIR="+parse(b, output)["dir"])
		for _, id := range []string{"install", "run", "evidence"} {
			if _, ok := script(b, id, turn...); !ok {
				b.Fatalf("step %s failed", id)
			}
		}
		if elapsed := time.Since(start); least == 0 || elapsed < least {
			least = elapsed
		}
	}
	b.ReportMetric(least.Seconds()*1e3, "least-ms")
}

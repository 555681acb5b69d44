package toolresult

import (
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// BenchmarkCapture measures how fast a chatty command can be followed, with
// its whole output going to a file.
func BenchmarkCapture(b *testing.B) {
	block := []byte(numbered(1500))[:32<<10]
	c := NewCapture(tool.Call{}, "stdout", Options{Artifacts: NewArtifacts(b.TempDir(), nil)})
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		_, _ = c.Write(block)
	}
	c.Stream()
}

// BenchmarkProject measures the way from a finished command to its text.
func BenchmarkProject(b *testing.B) {
	c := NewCapture(tool.Call{}, "stdout", Options{})
	_, _ = c.Write([]byte(numbered(50000)))
	status := int64(0)
	out := tool.Done("done", tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: &status, Stdout: c.Stream()})
	b.ReportAllocs()
	for b.Loop() {
		if text := Render(Project(tool.Call{}, "execute_command", out, Options{}), Options{}); len(text) < 30000 {
			b.Fatalf("Render(...) has %d bytes, want a full budget", len(text))
		}
	}
}

package result

import (
	"testing"
	"time"

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

// BenchmarkCapture_Watched is BenchmarkCapture where somebody looks on.
func BenchmarkCapture_Watched(b *testing.B) {
	block := []byte(numbered(1500))[:32<<10]
	w := &Watch{}
	c := NewCapture(tool.Call{}, "stdout", Options{Artifacts: NewArtifacts(b.TempDir(), nil), Watch: w})
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(150 * time.Millisecond):
				w.Streams()
			}
		}
	}()
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		_, _ = c.Write(block)
	}
	close(done)
	c.Stream()
}

// BenchmarkProject measures the way from a complete output to its text.
func BenchmarkProject(b *testing.B) {
	c := NewCapture(tool.Call{}, "stdout", Options{})
	_, _ = c.Write([]byte(numbered(50000)))
	x, out := probe(Options{}), tool.Done(probed{path: "x", printed: c.Stream()})
	b.ReportAllocs()
	for b.Loop() {
		if text := Render(x, Project(x, out)); len(text) < probeBudget/2 {
			b.Fatalf("Render(...) has %d bytes, want a full budget", len(text))
		}
	}
}

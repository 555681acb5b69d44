package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// The benchmarks measure a tool and, under the name bare, the least that can do
// the same: docs/performance.md holds what they came to.

// measured runs a call that must succeed again and again.
func (b *bench) measured(t *testing.B, name string, args m) {
	p := b.prepared(name, args)
	defer processorTime(t)()
	for t.Loop() {
		if out := p.Run(context.Background(), tool.Call{ID: "c", Step: 1}); out.Err != nil {
			t.Fatal(out.Err.Message)
		}
	}
}

func BenchmarkReadFile(t *testing.B) {
	b := newBench(t)
	line := "a line of ordinary text, as it stands in a file\n"
	for _, size := range []int{100, 4 << 10, 64 << 10, 1 << 20, 32 << 20} {
		b.put("ws/dir/file", strings.Repeat(line, size/len(line)+1)[:size])
		t.Run(fmt.Sprintf("bytes=%d/tool", size), func(t *testing.B) {
			t.SetBytes(int64(size))
			b.measured(t, "read_file", m{"path": "dir/file"})
		})
		t.Run(fmt.Sprintf("bytes=%d/end", size), func(t *testing.B) {
			t.SetBytes(int64(size))
			b.measured(t, "read_file", m{"path": "dir/file", "offset_line": -10})
		})
		t.Run(fmt.Sprintf("bytes=%d/bare", size), func(t *testing.B) {
			t.SetBytes(int64(size))
			defer processorTime(t)()
			var lines int
			var sum [sha256.Size]byte
			for t.Loop() {
				content, err := os.ReadFile(filepath.Join(b.root, "dir", "file"))
				if err != nil {
					t.Fatal(err)
				}
				lines, sum = bytes.Count(content, []byte{'\n'}), sha256.Sum256(content)
			}
			if lines == 0 && size > len(line) || sum == [sha256.Size]byte{} {
				t.Fatalf("%d lines, digest %x", lines, sum)
			}
		})
	}
}

func BenchmarkListFiles(t *testing.B) {
	b := newBench(t)
	for dir := range 500 {
		for file := range 20 {
			b.put(fmt.Sprintf("ws/group%d/dir%d/file%d", dir%25, dir, file), "")
		}
	}
	t.Run("tool", func(t *testing.B) { b.measured(t, "list_files", m{"recursive": true}) })
	t.Run("bare", func(t *testing.B) {
		defer processorTime(t)()
		for t.Loop() {
			n := 0
			err := fs.WalkDir(os.DirFS(b.root), ".", func(_ string, d fs.DirEntry, err error) error {
				if n++; n <= 1000 && err == nil {
					_, err = d.Info()
				}
				return err
			})
			if err != nil || n != 10526 {
				t.Fatal(n, err)
			}
		}
	})
}

// BenchmarkSummary surveys 12,800 entries, most of them code.
func BenchmarkSummary(t *testing.B) {
	b := newBench(t)
	for dir := range 610 {
		for file := range 20 {
			b.put(fmt.Sprintf("ws/group%d/dir%d/file%d.go", dir%16, dir, file), "")
		}
	}
	t.Run("tool", func(t *testing.B) { b.measured(t, "get_workspace_summary", nil) })
	t.Run("bare", func(t *testing.B) {
		defer processorTime(t)()
		for t.Loop() {
			n := 0
			err := fs.WalkDir(os.DirFS(b.root), ".", func(_ string, d fs.DirEntry, err error) error {
				if n++; err == nil {
					_, err = d.Info()
				}
				return err
			})
			if err != nil || n != 12827 {
				t.Fatal(n, err)
			}
		}
	})
	withRepository(b)
	b.call(context.Background(), "git_commit", m{"message": "m"})
	t.Run("repository", func(t *testing.B) { b.measured(t, "get_workspace_summary", nil) })
}

func BenchmarkCommandOutput(t *testing.B) {
	const size = 1 << 30
	for name, line := range map[string]string{
		"zeros": fmt.Sprintf("head -c %d /dev/zero", size),
		"text":  fmt.Sprintf("yes 'main.go:12: a line of ordinary text, as a compiler prints it' | head -c %d", size),
	} {
		t.Run(name+"/tool", func(t *testing.B) {
			t.SetBytes(size)
			var more int64
			for t.Loop() {
				r := redact.New([]string{"sk-test-0123456789", "ghs-test-9876543210"})
				b := newBench(t, func(o *Options) {
					o.Results.Artifacts = result.NewArtifacts(t.TempDir(), func(w io.Writer) io.WriteCloser { return redact.NewWriter(w, r) })
				})
				before := peak(t, true)
				got, _ := want[commandPayload](b, "execute_command", m{"command": line})
				if more = max(more, peak(t, false)-before); got.StdoutBytes != size {
					t.Fatalf("%d bytes, want %d", got.StdoutBytes, size)
				}
			}
			t.ReportMetric(float64(more)/(1<<20), "more-MB")
		})
		t.Run(name+"/bare", func(t *testing.B) {
			t.SetBytes(size)
			for t.Loop() {
				if err := exec.Command("sh", "-c", line+" | cat >/dev/null").Run(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// processorTime returns a function that reports the processor time per round
// since: on a machine that does other work too, it tells more than the clock.
func processorTime(t *testing.B) (report func()) {
	t.Helper()
	begin := processorSpent(t)
	return func() {
		t.ReportMetric(float64(processorSpent(t)-begin)/float64(t.N), "cpu-ns/op")
	}
}

func processorSpent(t testing.TB) int64 {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// peak returns the most memory this process held, in bytes, and with anew lets
// the count begin at what it holds now.
func peak(t testing.TB, anew bool) int64 {
	t.Helper()
	if anew {
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			t.Fatal(err)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

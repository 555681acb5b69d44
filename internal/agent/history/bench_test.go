package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkAppend appends to sessions of two lengths that are on disk before;
// both cost the same.
func BenchmarkAppend(b *testing.B) {
	for _, lines := range []int{10, 1_000_000} {
		b.Run(fmt.Sprintf("at line %d", lines), func(b *testing.B) {
			dir := b.TempDir()
			put(b, dir, "s", strings.Repeat(lineOf(b, noon, roleUser, "some words of a prompt"), lines))
			synced(b, filepath.Join(dir, "s"+linesKind))
			s, _ := opened(b, Options{Dir: dir, Session: "s"})
			for b.Loop() {
				if err := s.Answer(b.Context(), "done"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// synced brings a file to the disk: else the first append waits for all of it.
func synced(b *testing.B, path string) {
	b.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWindow reads the window of sessions of two lengths; both cost the
// same.
func BenchmarkWindow(b *testing.B) {
	for _, lines := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("of %d lines", lines), func(b *testing.B) {
			dir := b.TempDir()
			put(b, dir, "s", strings.Repeat(lineOf(b, noon, roleUser, "some words of a prompt"), lines))
			s, _ := opened(b, Options{Dir: dir, Session: "s"})
			for b.Loop() {
				if talk, err := s.window(b.Context(), 40); err != nil || len(talk) != 40 {
					b.Fatal(err)
				}
			}
		})
	}
}

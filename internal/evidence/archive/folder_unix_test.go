//go:build unix

package archive

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no folder is said at once, also where opening it waits for a writer.
func TestOpen_FIFO(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(pipe, "pipe"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("Open(FIFO) = %v, want it not a directory", err)
	}
}

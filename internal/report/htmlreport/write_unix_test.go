//go:build unix

package htmlreport

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Results that are no file are not waited for.
func TestWrite_ResultsThatAreAPipe(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "run")
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "results", "results.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if runs, err := pageOf(t, dir, "run", "results"); err == nil || !strings.Contains(err.Error(), "no regular file") || len(runs) == 0 {
		t.Errorf("page of a pipe = %v, %v, want it refused, and the run", runs, err)
	}
}

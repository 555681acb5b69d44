//go:build unix

package harness

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// What is no file is not waited for, and a file without lines not read to its end.
func TestOpenRun_WhatNeverEnds(t *testing.T) {
	dir := t.TempDir()
	pipe, big := filepath.Join(dir, "pipe"), filepath.Join(dir, "big")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(big, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 1<<40); err != nil {
		t.Skipf("this file system makes no file of that size without writing it: %v", err)
	}
	for name, want := range map[string]string{
		pipe: "it is neither a folder nor a file", "/dev/zero": "it is neither a folder nor a file", "/dev/null": "it is neither a folder nor a file",
		big: "a line is longer than 67108864 bytes",
	} {
		if r, err := OpenRun(t.Context(), &process.Process{}, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("OpenRun(%s) = %+v, %v, want an error with %q", name, r, err, want)
		}
	}
}

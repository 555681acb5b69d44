//go:build unix

package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file of a run folder that is none, or has no end, is refused.
func TestLoad_WhatNeverEnds(t *testing.T) {
	pipes, big := t.TempDir(), t.TempDir()
	for _, name := range []string{InfoName, CallsName, FinalOutputName} {
		if err := syscall.Mkfifo(filepath.Join(pipes, name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(big, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(big, name), 1<<40); err != nil {
			t.Skipf("this file system makes no file of that size without writing it: %v", err)
		}
	}
	for dir, want := range map[string]string{pipes: "is no regular file", big: "than 67108864 bytes"} {
		_, info := Load(dir)
		_, final := FinalOutput(dir)
		var calls error
		for _, err := range Calls(dir) {
			calls = err
		}
		for what, err := range map[string]error{"Load": info, "FinalOutput": final, "Calls": calls} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s = %v, want an error with %q", what, err, want)
			}
		}
	}
}

package file

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestFix(t *testing.T) {
	for want, err := range map[string]error{
		"ulimit -n": &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, "disk is full": syscall.ENOSPC, "name a folder": errors.New("x"),
	} {
		if got := Fix(err, "name a folder"); !strings.Contains(got, want) {
			t.Errorf("Fix(%v) = %q, want %q in it", err, got, want)
		}
	}
}

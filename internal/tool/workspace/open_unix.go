//go:build unix

package workspace

import (
	"errors"
	"os"
	"syscall"
)

// readFlags open a file for reading without waiting: a pipe has no writer to
// wait for, and a terminal must not become ours.
const readFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// isNotDir reports whether a file stood where a folder was wanted, or a link
// where none was.
func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// syncDir makes a rename in the folder durable.
func syncDir(dir *os.File) error { return dir.Sync() }

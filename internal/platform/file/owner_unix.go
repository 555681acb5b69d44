//go:build unix

package file

import (
	"io/fs"
	"os"
	"syscall"
)

// Give makes f belong to the owner of was, as far as this process may: only
// root gives files away, and a file is no worse for a new owner.
func Give(f *os.File, was fs.FileInfo) {
	if s, ok := was.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}

// hold takes the lock of a temporary file for its writer, and reports whether no other
// process has it. Without locks in a file system nobody gets it.
func hold(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

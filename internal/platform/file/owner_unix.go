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

// hold keeps a temporary file from Sweep until release is called. Its lock is one of an
// own descriptor, for the writer closes the file before it has its name.
func hold(root *os.Root, name string) (release func()) {
	f, err := root.Open(name)
	if err != nil {
		return func() {}
	}
	lock(f)
	return func() { f.Close() }
}

// lock reports whether no other descriptor has the lock of f, which it takes. Without
// locks in a file system nobody gets it.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

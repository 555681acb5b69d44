//go:build amd64 || arm64

package file

import (
	"os"
	"syscall"
)

// BeginSync has the system begin to bring what was written to f to the disk, and
// does not wait for it. A sync of another file of the folder that follows waits for
// it on a file system that orders what it writes, such as ext4.
func BeginSync(f *os.File) {
	const begin = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), 0, 0, begin)
}

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// writerAtOnce returns a function that writes to f what fits without waiting,
// nothing if that is not to be known: of files, terminals and the pipes of
// older kernels. Errors are for the next, ordinary write to find.
func writerAtOnce(f *os.File) func([]byte) int {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	supported := true
	return func(b []byte) (written int) {
		if !supported || len(b) == 0 {
			return 0
		}
		_ = conn.Control(func(fd uintptr) {
			n, err := unix.Pwritev2(int(fd), [][]byte{b}, -1, unix.RWF_NOWAIT)
			written = max(n, 0)
			supported = err != unix.EOPNOTSUPP && err != unix.ENOSYS
		})
		return written
	}
}

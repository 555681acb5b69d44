package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the largest size that a user without privileges may ask for by
// default (/proc/sys/fs/pipe-max-size).
const pipeSize = 1 << 20

// widen makes room in a pipe, so that a command that prints much waits less for
// this process. Failing to do so is no error.
func widen(r *os.File) {
	conn, err := r.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
	})
}

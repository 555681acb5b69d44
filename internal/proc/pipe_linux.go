package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the most that a user may ask for where nothing else is set.
const pipeSize = 1 << 20

// widen makes room in a pipe, so that a command that prints much waits less for
// us. A pipe that stays as it was is no failure.
func widen(r *os.File) {
	conn, err := r.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
	})
}

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// newPipe returns a pipe for the output of a child: reading ends with a
// deadline, and writing blocks, as a child expects. It makes five calls to the
// kernel; os.Pipe makes seven, for which the start of the child has to make up
// with four more.
func newPipe() (r, w *os.File, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	if _, err := unix.FcntlInt(uintptr(fds[0]), unix.F_SETFL, unix.O_NONBLOCK); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}

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

package proc

import (
	"errors"
	"os"
	"runtime"

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

// waiter waits for a pipe in the kernel, by the thread that reads it. Go's poller
// wakes three threads for each piece of output that comes alone: the one that
// polls, the one that reads, and the monitor, which then looks around every 20
// microseconds. It takes one of Go's processors for up to 10 ms after a piece, so
// it is for output that comes often, and only where there is another processor.
type waiter struct {
	fds  [2]unix.PollFd // the pipe, and over
	over *os.File       // an event that comes when the time is over
}

// newWaitedPipe is newPipe with a waiter, nil where there can be none.
func newWaitedPipe() (r, w *os.File, wait *waiter, err error) {
	event, err := -1, error(nil)
	if runtime.GOMAXPROCS(0) > 1 {
		event, err = unix.Eventfd(0, unix.EFD_CLOEXEC)
	}
	if event < 0 || err != nil {
		r, w, err = newPipe()
		return r, w, nil, err
	}
	wait = &waiter{over: os.NewFile(uintptr(event), "over")}
	var fds [2]int
	if err = unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		wait.close()
		return nil, nil, nil, os.NewSyscallError("pipe2", err)
	}
	r, w = os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1")
	// Not before it is a file, or Go's poller would have it.
	if _, err = unix.FcntlInt(uintptr(fds[0]), unix.F_SETFL, unix.O_NONBLOCK); err != nil {
		wait.close()
		r.Close()
		w.Close()
		return nil, nil, nil, os.NewSyscallError("fcntl", err)
	}
	wait.fds = [2]unix.PollFd{{Fd: int32(fds[0]), Events: unix.POLLIN}, {Fd: int32(event), Events: unix.POLLIN}}
	return r, w, wait, nil
}

// read reads from the pipe, and returns os.ErrDeadlineExceeded when the time is
// over.
func (w *waiter) read(r *os.File, buf []byte) (int, error) {
	for {
		// To the monitor a goroutine that never yields is one that runs for long:
		// it would take its processor away at once.
		runtime.Gosched()
		if _, err := unix.Poll(w.fds[:], -1); err != nil && err != unix.EINTR {
			return 0, os.NewSyscallError("poll", err)
		}
		if w.fds[1].Revents != 0 {
			return 0, os.ErrDeadlineExceeded
		}
		if n, err := r.Read(buf); !errors.Is(err, unix.EAGAIN) {
			return n, err
		}
	}
}

// stop ends the present read and each further one.
func (w *waiter) stop() { _, _ = w.over.Write([]byte{1, 0, 0, 0, 0, 0, 0, 1}) } // any number, whatever the order of its bytes

// close may be called when nothing reads any more.
func (w *waiter) close() { w.over.Close() }

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

//go:build !linux

package proc

import (
	"os"
	"time"
)

// Adopt would make this process inherit the orphans among its descendants;
// only Linux can, so it returns ErrNotSupported.
func Adopt() error { return ErrNotSupported }

// Sweep ends what Adopt brought in, which here is nothing: it returns 0.
func Sweep(time.Duration) int { return 0 }

// EndMarked would end the processes that have entry in their environment, which
// only Linux shows; it returns 0.
func EndMarked(entry string, grace, limit time.Duration) int { return 0 }

func startProcess(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	return os.StartProcess(path, args, attr)
}

func newPipe() (r, w *os.File, err error) { return os.Pipe() }

// waiter would wait for a pipe without Go's poller, which only Linux is asked for.
type waiter struct{}

func newWaitedPipe() (r, w *os.File, wait *waiter, err error) {
	r, w, err = os.Pipe()
	return r, w, nil, err
}

func (*waiter) read(r *os.File, buf []byte) (int, error) { return r.Read(buf) }
func (*waiter) stop()                                    {}
func (*waiter) close()                                   {}

// widen would make room in a pipe, which only Linux can.
func widen(*os.File) {}

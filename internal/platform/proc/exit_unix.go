//go:build unix

package proc

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// describe reads status and signal from state.
func describe(state *os.ProcessState) Exit {
	exit := exitStatus(state)
	if state == nil {
		return exit
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.SignalNumber = int(status.Signal())
		exit.Signal = cmp.Or(unix.SignalName(status.Signal()), fmt.Sprintf("signal %d", exit.SignalNumber))
	}
	return exit
}

func maxRSS(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// readNow reads from a descriptor that does not block.
func readNow(fd uintptr, buf []byte) int {
	for {
		n, err := unix.Read(int(fd), buf)
		if err != unix.EINTR {
			return n
		}
	}
}

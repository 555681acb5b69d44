//go:build unix

package proc

import (
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
		exit.Signal, exit.SignalNumber = signalName(status.Signal()), int(status.Signal())
	}
	return exit
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
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

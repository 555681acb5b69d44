package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// harden keeps other processes of the same user from reading this process's
// memory and environment (PR_SET_DUMPABLE in prctl(2); root is not kept out),
// and commands from inheriting descriptors that whoever started us left open.
func harden() error {
	// Kernels before 5.11 cannot; what is inherited there was the caller's to
	// close.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

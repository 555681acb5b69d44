//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// claimStdout takes descriptor 1 for the command alone: what it writes goes to
// a copy, and descriptor 1 itself becomes stderr, so that a stray print from
// anywhere cannot end up in the stream. No child inherits the copy.
//
// The error reports that there is no stdout to write to: Go opens the null
// device for reading and writing on a descriptor that was closed at start.
func claimStdout() (io.Writer, error) {
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil {
		return io.Discard, fmt.Errorf("stdout: %w", err)
	}
	if flags&unix.O_ACCMODE == unix.O_RDWR && isNull(1) {
		return io.Discard, errors.New("stdout is closed, or the null device opened for reading too")
	}
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return io.Discard, fmt.Errorf("stdout: %w", err)
	}
	if err := dup2(2, 1); err != nil {
		return io.Discard, fmt.Errorf("stdout: %w", err)
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}

func isNull(fd int) bool {
	var got, null unix.Stat_t
	return unix.Fstat(fd, &got) == nil && unix.Stat(os.DevNull, &null) == nil &&
		got.Mode&unix.S_IFMT == unix.S_IFCHR && got.Rdev == null.Rdev
}

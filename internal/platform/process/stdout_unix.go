//go:build unix

package process

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// claimStdout takes descriptor 1 for the command alone: what it writes goes to
// a copy, and descriptor 1 itself becomes stderr, so that a stray print from
// anywhere cannot end up in the stream. No child inherits the copy.
//
// The null device is a reader that wants nothing, however it was opened; so is a
// closed stdout, since Go opens the null device on it at start.
func claimStdout() (io.Writer, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = dup2(2, 1)
	}
	if err != nil {
		return nil, fmt.Errorf("take over stdout: %w", err)
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}

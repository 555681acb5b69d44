//go:build unix

package cli

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
// The null device is a reader that wants nothing, however it was opened. Go
// opens it on a descriptor that was closed at start, which looks as that of a
// supervisor does, so a closed stdout is one too.
func claimStdout() (io.Writer, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return io.Discard, fmt.Errorf("stdout: %w", err)
	}
	if err := dup2(2, 1); err != nil {
		return io.Discard, fmt.Errorf("stdout: %w", err)
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}

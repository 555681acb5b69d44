//go:build linux || darwin

package live

import (
	"os"

	"golang.org/x/sys/unix"
)

// quiet keeps the terminal from showing what is typed, and from stopping or
// dumping the process at a key while the cursor is moved about. Ctrl-C stays a
// signal. restore brings the terminal back to what it was. Where the terminal
// cannot be changed nothing is.
func quiet(terminal *os.File) (restore func()) {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	still := *before
	still.Lflag &^= unix.ECHO
	still.Cc[unix.VSUSP], still.Cc[unix.VQUIT] = noKey, noKey
	if unix.IoctlSetTermios(fd, setTermios, &still) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) } // what could be done was
}

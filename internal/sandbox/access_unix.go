//go:build unix

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// readFlags open a file without waiting, should it have become a pipe.
const readFlags = os.O_RDONLY | unix.O_NONBLOCK

// readable and writable report whether the user may have the file without a sandbox.
func readable(path string) bool { return unix.Access(path, unix.R_OK) == nil }
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

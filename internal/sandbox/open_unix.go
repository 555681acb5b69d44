//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// readFlags open a file without waiting, should it have become a pipe.
const readFlags = os.O_RDONLY | syscall.O_NONBLOCK

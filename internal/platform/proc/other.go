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

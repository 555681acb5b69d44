//go:build unix

package key

import (
	"fmt"
	"os"
	"syscall"
)

// restart replaces this process by itself, with the environment as it is now
// and the key in a pipe. It returns only when that is not possible.
func restart(key string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("take key: %w", err)
	}
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		return fmt.Errorf("take key: %w", err)
	}
	// A pipe takes 16 KiB at least without a reader.
	if _, err := syscall.Write(fds[1], []byte(key)); err != nil {
		return fmt.Errorf("take key: %w", err)
	}
	if err := syscall.Close(fds[1]); err != nil {
		return fmt.Errorf("take key: %w", err)
	}
	env := append(os.Environ(), fmt.Sprintf("%s=%d", fdVariable, fds[0]))
	return fmt.Errorf("take key: start anew: %w", syscall.Exec(self, os.Args, env))
}

//go:build unix

package sandbox

import "golang.org/x/sys/unix"

// readable and writable report whether the user may have the file without a sandbox.
func readable(path string) bool { return unix.Access(path, unix.R_OK) == nil }

func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

package cli

import "golang.org/x/sys/unix"

// harden keeps other processes of the same user from reading this process's
// memory and environment (PR_SET_DUMPABLE in prctl(2)). Root is not kept out.
func harden() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

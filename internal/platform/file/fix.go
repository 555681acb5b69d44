package file

import (
	"errors"
	"syscall"
)

// Fix returns what to do about an error of files: about what the machine lacks, or else
// the fix that is given.
func Fix(err error, otherwise string) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open: raise the limit (ulimit -n), or run less at the same time"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: free some space"
	}
	return otherwise
}

package workspace

import (
	"errors"
	"os"
	"syscall"
)

// readFlags open a file for reading.
const readFlags = os.O_RDONLY

// isNotDir reports whether a file stood where a folder was wanted.
func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ERROR_PATH_NOT_FOUND)
}

// syncDir does nothing: Windows cannot sync a folder.
func syncDir(*os.File) error { return nil }

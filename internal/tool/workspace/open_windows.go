package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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

// maxOpenLevels is 0: each folder is opened from the root on.
const maxOpenLevels = 0

// openBelow opens the folder at from the root on.
func (w *Workspace) openBelow(_ *os.File, at string) (*os.File, error) {
	return w.root.Open(filepath.FromSlash(at))
}

// sizeIn returns the size that was read with the entry.
func sizeIn(_ *os.File, e fs.DirEntry) (int64, error) {
	info, err := e.Info()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

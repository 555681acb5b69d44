package file

import (
	"os"
	"path/filepath"
)

// WriteNew writes a file whole at a path at which there is none, and makes the folders
// above it. What is there already stays, and is an error.
func WriteNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	Sweep(root, ".")
	return write(root, filepath.Base(path), 0o644, steps{asCreated, (*os.File).Sync, renameNew}, whole(data))
}

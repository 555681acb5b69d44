package file

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteNew writes a file at a path at which there is none, and makes the folders
// above it. What is there already stays, and is an error.
func WriteNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a file would be in the way of the next time
	}
	return nil
}

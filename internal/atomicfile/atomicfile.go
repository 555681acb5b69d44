// Package atomicfile writes files that are either whole or as they were: a
// temporary name in the same folder, sync, rename.
package atomicfile

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Write replaces the file name under root by data. perm is the mode of the new
// file whatever the umask says. A crash leaves the old file or the new one,
// at worst a temporary file beside it.
func Write(root *os.Root, name string, data []byte, perm os.FileMode) error {
	return write(root, name, data, perm, nil)
}

// write is Write; when was is not nil, the new file is as that one but for its
// content.
func write(root *os.Root, name string, data []byte, perm os.FileMode, was fs.FileInfo) (err error) {
	if was != nil {
		perm = was.Mode().Perm()
	}
	tmp := path.Join(path.Dir(name), ".tmp-"+rand.Text())
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(tmp) // the first error is the one to tell
		}
	}()
	if was != nil {
		give(f, was)
	}
	if err := fill(f, data, perm); err != nil {
		return err
	}
	return root.Rename(tmp, name)
}

func fill(f *os.File, data []byte, perm os.FileMode) error {
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return f.Close()
}

// WriteIn is Write for the file name in the folder dir.
func WriteIn(dir, name string, data []byte, perm os.FileMode) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return Write(root, name, data, perm)
}

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// foreignSuffix and a number name what a command put in the place of a file or
// folder of the record.
const foreignSuffix = ".foreign-"

// maxAside bounds how many names are tried for what is moved aside.
const maxAside = 1000

// moveAside frees path: a link goes, anything else gets the next free name.
func moveAside(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return os.Remove(path)
	}
	for n := 1; n <= maxAside; n++ {
		name := fmt.Sprintf("%s%s%d", path, foreignSuffix, n)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, name)
		}
	}
	return fmt.Errorf("%d files stand beside %s", maxAside, filepath.Base(path))
}

// verifyFolder reports whether the name of the folder still leads to it. If not, a
// folder is made there and gets what is in the one that is held open.
func (r *Run) verifyFolder() (bool, error) {
	named, err := os.Lstat(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true, fmt.Errorf("verify the run folder: %w", err)
	}
	if err == nil && os.SameFile(named, r.made) {
		return true, nil
	}
	err = moveAside(r.dir)
	if err == nil {
		err = os.Mkdir(r.dir, 0o700)
	}
	if err == nil {
		err = os.CopyFS(r.dir, r.held.FS())
	}
	if errors.Is(err, fs.ErrNotExist) { // the open folder was removed
		err = nil
	}
	if err != nil {
		return false, fmt.Errorf("put the run folder back: %w", err)
	}
	return false, nil
}

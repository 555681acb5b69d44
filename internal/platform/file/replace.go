package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a person's file whole or leaves it as it was. A file that
// exists keeps its mode, and its owner where that is allowed; a new one is
// readable by all. A link stays one and its target is written. What is no file,
// such as a device, is refused: it would be replaced by one.
func Replace(name string, data []byte) error {
	was, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		was = nil
	case err != nil:
		return err
	case !was.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	} else if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s is a link to nothing", name)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	Sweep(root, ".")
	perm := fs.FileMode(0o644)
	if was != nil {
		perm = was.Mode().Perm()
	}
	own := func(f *os.File) error {
		if was != nil {
			Give(f, was)
		}
		return f.Chmod(perm)
	}
	return write(root, filepath.Base(name), perm, steps{own, (*os.File).Sync, (*os.Root).Rename}, whole(data))
}

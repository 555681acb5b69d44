package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// errNotRemembered says why something is not put back.
var errNotRemembered = errors.New("it could not be read when the run began")

// putBack makes name what it was.
func (t *tree) putBack(name string, was entry) error {
	if !was.whole {
		return errNotRemembered
	}
	if err := t.remove(name); err != nil {
		return err
	}
	if err := t.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return t.reach(path.Dir(name), func() error {
		switch {
		case was.mode.IsDir():
			return errors.Join(t.root.Mkdir(name, was.mode.Perm()), t.root.Chmod(name, was.mode.Perm()))
		case was.mode&fs.ModeSymlink != 0:
			return t.root.Symlink(string(was.bytes), name)
		}
		file, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, was.mode.Perm())
		if err != nil {
			return err
		}
		_, err = file.Write(was.bytes)
		return errors.Join(err, file.Chmod(was.mode), file.Close())
	})
}

// replaceHead removes what stands instead of a head, and moves the folder back if it
// still lies next to it.
func (t *tree) replaceHead(name string, was entry) error {
	if !was.mode.IsDir() {
		return t.putBack(name, was)
	}
	if err := t.remove(name); err != nil {
		return err
	}
	for _, other := range t.children(path.Dir(name), nil) {
		if info, err := t.root.Lstat(other); err == nil && os.SameFile(info, was.info) {
			return t.root.Rename(other, name)
		}
	}
	return nil // lost, as after rm -rf; what is guarded comes back by itself
}

// reach does something in a folder, also where a command took the rights that this
// needs.
func (t *tree) reach(dir string, do func() error) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if info, statErr := t.root.Lstat(dir); statErr == nil && info.IsDir() && info.Mode()&0o700 != 0o700 && t.root.Chmod(dir, info.Mode().Perm()|0o700) == nil {
		defer func() { _ = t.root.Chmod(dir, info.Mode().Perm()) }()
		return do()
	}
	return err
}

// remove is RemoveAll also where a command took the rights that this needs.
func (t *tree) remove(name string) error {
	return t.reach(path.Dir(name), func() error {
		err := t.root.RemoveAll(name)
		if errors.Is(err, fs.ErrPermission) {
			t.openFolders(name)
			err = t.root.RemoveAll(name)
		}
		return err
	})
}

// openFolders lets us into a folder and those in it. A link is left alone.
func (t *tree) openFolders(name string) {
	if info, err := t.root.Lstat(name); err != nil || !info.IsDir() {
		return
	}
	_ = t.root.Chmod(name, 0o700)
	for _, child := range t.children(name, nil) {
		t.openFolders(child)
	}
}

package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// revive makes the folder anew that the agent has removed, as cleaning a work
// tree does. One that is somewhere else now is filled there.
func (f *Folder) revive() error {
	if _, err := os.Lstat(f.dir); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(f.dir, dirMode); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	gone := f.root
	f.root = root
	return gone.Close()
}

// closeLog closes a log of the folder. The agent may have taken it away or put
// something else in its place: what was written is saved again then.
func (f *Folder) closeLog(name string, log *os.File) error {
	there, err := f.holds(name, log)
	if err == nil && !there {
		f.restored = append(f.restored, name)
		err = f.saveAgain(name, log)
	}
	return errors.Join(err, log.Close())
}

// holds reports whether the name still leads to the log.
func (f *Folder) holds(name string, log *os.File) (bool, error) {
	written, err := log.Stat()
	if err != nil {
		return false, err
	}
	found, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(written, found), err
}

func (f *Folder) saveAgain(name string, log *os.File) error {
	if err := f.root.RemoveAll(name); err != nil {
		return err
	}
	again, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = log.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(again, log)
	}
	if err = errors.Join(err, again.Close()); err != nil {
		return fmt.Errorf("save again: %w", err)
	}
	return nil
}

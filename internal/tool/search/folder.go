package search

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// OpenFolder opens a folder below the root, one name after the other and through no
// link: a folder that was exchanged for a link meanwhile does not open.
func OpenFolder(root *os.Root, at string) (*os.Root, error) {
	dir, err := root.OpenRoot(".")
	if err != nil || at == "." {
		return dir, err
	}
	for name := range strings.SplitSeq(at, "/") {
		next, err := openBelow(dir, name)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

func openBelow(dir *os.Root, name string) (*os.Root, error) {
	was, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !was.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if is, err := next.Stat("."); err != nil || !os.SameFile(was, is) {
		next.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return next, nil
}

// ReadFolder returns the entries of a folder below the root.
func ReadFolder(root *os.Root, at string) ([]fs.DirEntry, error) {
	below, err := OpenFolder(root, at)
	if err != nil {
		return nil, err
	}
	defer below.Close()
	dir, err := below.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// openFile opens a regular file of an open folder. Others are not opened, which can
// have an effect already, and a pipe that takes its place is not waited for.
func openFile(dir *os.Root, name string) (*os.File, error) {
	was, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !was.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if is, err := f.Stat(); err != nil || !os.SameFile(was, is) {
		f.Close()
		return nil, fs.ErrNotExist
	}
	return f, nil
}

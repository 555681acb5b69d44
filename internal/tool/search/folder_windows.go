package search

import (
	"io/fs"
	"os"
	"path/filepath"
)

// folder is an open folder.
type folder struct{ root *os.Root }

// openFolder opens a folder below the root.
func (r *run) openFolder(at string) (*folder, error) {
	root, err := r.root.OpenRoot(filepath.FromSlash(at))
	return &folder{root}, err
}

func (f *folder) close() { _ = f.root.Close() }

func (f *folder) entries() ([]fs.DirEntry, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// file is an open file.
type file struct{ *os.File }

// open opens a regular file.
func (f *folder) open(name string) (*file, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errGone
	}
	opened, err := f.root.Open(name)
	return &file{opened}, err
}

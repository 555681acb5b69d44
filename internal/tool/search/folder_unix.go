//go:build unix

package search

import (
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// folderFlags open a folder and nothing else, fileFlags a file without waiting;
// both through no link.
const (
	folderFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fileFlags   = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// folder is an open folder. Its files are opened by a single name each, which spares
// the way down from the root and cannot leave the tree.
type folder struct{ fd int }

// openFolder opens a folder below the root, one name after the other.
func (r *run) openFolder(at string) (*folder, error) {
	fd, err := openAt(int(r.self.Fd()), ".", folderFlags)
	if err != nil || at == "." {
		return &folder{fd}, err
	}
	for name := range strings.SplitSeq(at, "/") {
		next, err := openAt(fd, name, folderFlags)
		_ = unix.Close(fd)
		if fd = next; err != nil {
			return nil, err
		}
	}
	return &folder{fd}, nil
}

func openAt(fd int, name string, flags int) (int, error) {
	for {
		opened, err := unix.Openat(fd, name, flags, 0)
		if err != unix.EINTR {
			return opened, err
		}
	}
}

func (f *folder) close() { _ = unix.Close(f.fd) }

func (f *folder) entries() ([]fs.DirEntry, error) {
	again, err := openAt(f.fd, ".", folderFlags)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(again), ".")
	defer dir.Close()
	return dir.ReadDir(-1)
}

// file is an open file: the least that reading takes, as trees have many files.
type file struct {
	fd   int
	left int64 // of the size that it had
}

// open opens a regular file. Others are not opened, which can have an effect already.
func (f *folder) open(name string) (*file, error) {
	var stat unix.Stat_t
	if err := unix.Fstatat(f.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, errGone
	}
	fd, err := openAt(f.fd, name, fileFlags)
	return &file{fd, stat.Size}, err
}

// Read reads no further than the size that the file had, which spares a read for
// each file; a file of the system without a size is read to its end.
func (f *file) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		if f.left -= int64(n); f.left == 0 {
			return n, io.EOF
		}
		return n, nil
	}
}

func (f *file) Close() error { return unix.Close(f.fd) }

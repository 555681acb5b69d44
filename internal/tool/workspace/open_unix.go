//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// readFlags open a file for reading without waiting: a pipe has no writer to
// wait for, and a terminal must not become ours.
const readFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// isNotDir reports whether a file stood where a folder was wanted, or a link
// where none was.
func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// syncDir makes a rename in the folder durable.
func syncDir(dir *os.File) error { return dir.Sync() }

// folderFlags open a folder and nothing else, through no link.
const folderFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// maxOpenLevels bounds the folders that a walk holds open at once.
const maxOpenLevels = 64

// openBelow opens the folder at, which lies in the open folder above. It goes on
// from there by a single name that is no link, and so cannot leave the tree. The
// first folder is opened from the root, for which above is nil.
func (w *Workspace) openBelow(above *os.File, at string) (*os.File, error) {
	name := path.Base(at)
	if above == nil {
		// Of a folder opened by os.Root every entry would be looked at while it
		// is read, hence once more.
		first, err := w.root.Open(filepath.FromSlash(at))
		if err != nil {
			return nil, err
		}
		defer first.Close()
		above, name = first, "."
	}
	fd, err := unix.Openat(int(above.Fd()), name, folderFlags, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: at, Err: err}
	}
	return os.NewFile(uintptr(fd), at), nil
}

// sizeIn returns the size of a file in an open folder, or as it was read with
// the entry when that is nil.
func sizeIn(dir *os.File, e fs.DirEntry) (int64, error) {
	if dir == nil {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), e.Name(), &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, err
	}
	return stat.Size, nil
}

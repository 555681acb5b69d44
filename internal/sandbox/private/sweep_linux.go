package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of what one run removes of what others left.
const (
	maxSwept  = 8
	maxLooked = 10_000
	sweepTime = 2 * time.Second
	// unlocked is the age from which a folder without a lock has no owner: younger
	// ones may be between being made and being locked.
	unlocked = time.Minute
)

// Lock opens a folder and locks it until the file is closed or the process has ended,
// however it ended. nil means that it cannot be locked here.
func Lock(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	file := os.NewFile(uintptr(fd), dir)
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
		_ = file.Close()
		return nil
	}
	return file
}

// sweep removes private folders in dir whose runs have ended without removing them, as
// by SIGKILL: those that are ours by name and owner, that nobody has locked, and that
// are not new. It takes a few, and what it does not get done is left to the next run.
func sweep(dir string, now time.Time) {
	folder, err := os.Open(dir)
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(maxLooked) // of more, those that come first
	until := time.Now().Add(sweepTime)
	left := maxSwept
	for _, name := range names {
		if left == 0 || time.Now().After(until) {
			return
		}
		if strings.HasPrefix(name, prefix) && sweepFolder(filepath.Join(dir, name), now, until) {
			left--
		}
	}
}

// LockLeft locks a folder if it is ours and left over: that of a process that has
// ended. nil means that it is not, or is no folder.
func LockLeft(path string, now time.Time) *os.File {
	lock := Lock(path)
	if lock == nil {
		return nil
	}
	var stat unix.Stat_t
	if unix.Fstat(int(lock.Fd()), &stat) != nil || int(stat.Uid) != os.Geteuid() || now.Sub(time.Unix(stat.Mtim.Unix())) < unlocked {
		_ = lock.Close()
		return nil
	}
	return lock
}

// sweepFolder removes one folder if it is left over, and reports whether it is. It
// follows no link, neither at the folder's name nor in it.
func sweepFolder(path string, now, until time.Time) bool {
	lock := LockLeft(path, now)
	if lock == nil {
		return false
	}
	defer lock.Close()
	root, err := os.OpenRoot(path)
	if err != nil {
		return false
	}
	defer root.Close()
	opened, err := root.Stat(".")
	locked, lockErr := lock.Stat()
	if err != nil || lockErr != nil || !os.SameFile(opened, locked) {
		return false
	}
	if removeWithin(root, until) == nil {
		_ = os.Remove(path) // not if something else has taken the name and is not empty
	}
	return true
}

// errLate means that the time for removing is over.
var errLate = errors.New("no time left")

// removeWithin removes what is in a folder, until the time is over.
func removeWithin(root *os.Root, until time.Time) error {
	var folders []string
	err := fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case time.Now().After(until):
			return errLate
		case d != nil && d.IsDir():
			if err != nil {
				return fs.SkipDir
			}
			if path != "." {
				_ = root.Chmod(path, 0o700) // before it is read
				folders = append(folders, path)
			}
			return nil
		}
		return errors.Join(err, root.Remove(path))
	})
	for _, path := range slices.Backward(folders) {
		err = errors.Join(err, root.Remove(path))
	}
	return err
}

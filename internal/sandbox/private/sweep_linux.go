package private

import (
	"os"
	"path/filepath"
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
// are not new. It takes a few, and leaves the others to the next run.
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
		path := filepath.Join(dir, name)
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if lock := LockLeft(path, now); lock != nil {
			_ = removeAll(path) // what it does not get done is left to the next run
			_ = lock.Close()
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

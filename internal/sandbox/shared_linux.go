package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// shared is a folder in which all processes of the machine share memory, as it was
// before the first command.
type shared struct {
	dir    string
	before []string // names, sorted
	uid    uint32   // of commands
}

func lookShared(dir string, user *User) shared {
	s := shared{dir: dir, before: namesIn(dir), uid: uint32(os.Geteuid())}
	if user != nil {
		s.uid = user.UID
	}
	return s
}

func namesIn(dir string) []string {
	file, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer file.Close()
	names, _ := file.Readdirnames(-1)
	slices.Sort(names)
	return names
}

// sweep removes the files that a run made: those that were not there before, belong to
// the user of its commands, and are open in no process.
func (s shared) sweep() {
	for _, name := range namesIn(s.dir) {
		if _, there := slices.BinarySearch(s.before, name); there {
			continue
		}
		path := s.dir + "/" + name
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Uid == s.uid && stat.Mode&unix.S_IFMT == unix.S_IFREG {
			// A lease to write is given to the only one that has the file open.
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_WRLCK); err != unix.EAGAIN {
				_ = unix.Unlink(path)
			}
		}
		_ = unix.Close(fd)
	}
}

package proc

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// children returns the pids of this process's children, the unreaped dead
// among them; ok is false where the kernel does not list them
// (CONFIG_PROC_CHILDREN). Only our own reaping takes a pid off the list, so
// none is missed; whoever loses its parent after Adopt comes onto it.
func children() (pids []int, ok bool) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, false
	}
	for _, t := range threads {
		thread := "/proc/self/task/" + t.Name()
		list, err := os.ReadFile(thread + "/children")
		if _, gone := os.Stat(thread); err != nil && os.IsNotExist(gone) {
			continue // it started no process: those threads live on
		}
		if err != nil {
			return nil, false
		}
		for field := range strings.FieldsSeq(string(list)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				return nil, false
			}
			pids = append(pids, pid)
		}
	}
	return pids, true
}

// isChildless reports whether this process has no child for certain, not even
// an unreaped one.
func isChildless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err == unix.ECHILD
}

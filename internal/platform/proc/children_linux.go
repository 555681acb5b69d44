package proc

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// children returns the pids of this process's children, the unreaped dead
// among them; ok is false where the kernel does not list them
// (CONFIG_PROC_CHILDREN). Only our own reaping takes a pid off the list, so
// none is missed; whoever loses its parent after Adopt comes onto it.
func children() (pids []int, ok bool) {
	pids, _, ok = childrenOf("/proc/self")
	return pids, ok
}

// childrenOf returns the children of a process, which its folder in /proc names.
// whole is false where the process or one of its threads has ended meanwhile: its
// children are then those of another, whose list may have been read before.
func childrenOf(process string) (pids []int, whole, ok bool) {
	threads, err := os.ReadDir(process + "/task")
	if err != nil {
		return nil, false, os.IsNotExist(err)
	}
	whole = true
	for _, t := range threads {
		thread := process + "/task/" + t.Name()
		list, err := readProc(thread+"/children", nil)
		if os.IsNotExist(err) && gone(thread) {
			whole = false
			continue
		}
		if err != nil {
			return nil, false, false
		}
		if pids, ok = appendPids(pids, list); !ok {
			return nil, false, false
		}
	}
	return pids, whole && remain(threads, process), true
}

// remain reports whether the threads of a process are still there.
func remain(threads []os.DirEntry, process string) bool {
	if len(threads) == 1 {
		return true // as long as the process
	}
	now, err := os.ReadDir(process + "/task")
	return err == nil && !slices.ContainsFunc(threads, func(t os.DirEntry) bool {
		return !slices.ContainsFunc(now, func(n os.DirEntry) bool { return n.Name() == t.Name() })
	})
}

func appendPids(pids []int, list []byte) (all []int, ok bool) {
	for field := range strings.FieldsSeq(string(list)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			return nil, false
		}
		pids = append(pids, pid)
	}
	return pids, true
}

func gone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}

// isChildless reports whether this process has no child for certain, not even
// an unreaped one.
func isChildless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err == unix.ECHILD
}

// lists are the descriptors of the files that list the children of the two
// threads which have any as long as all are started here: the one from which
// they are started, and the main thread, to which the kernel gives the orphans,
// the first thread of a process that lives. Both live as long as the process,
// and so the files stay open. It is nil where the kernel has no such files.
var lists = sync.OnceValue(func() []int {
	forker := 0
	onForkThread(func() { forker = unix.Gettid() })
	var fds []int
	for _, thread := range []int{os.Getpid(), forker} {
		fd, err := unix.Open("/proc/self/task/"+strconv.Itoa(thread)+"/children", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil // once in a process: what was opened may stay
		}
		fds = append(fds, fd)
	}
	return fds
})

// listed returns what lists show; ok is false where they show nothing.
func listed() (pids []int, ok bool) {
	var room [1 << 10]byte
	for _, fd := range lists() {
		list, err := readAll(room[:0], func(b []byte, at int) (int, error) { return unix.Pread(fd, b, int64(at)) })
		if err != nil {
			return nil, false
		}
		if pids, ok = appendPids(pids, list); !ok {
			return nil, false
		}
	}
	return pids, ok
}

// maxWalks bounds how often the processes below this one are read until they stand
// still.
const maxWalks = 5

// relatives returns the part of the process table that descends from this process.
// Only where orphans go to others, or the kernel lists no children, is it the whole
// table: that takes longer the more runs on the machine besides.
func relatives() table {
	if !adopts.Load() {
		return scan()
	}
	var before table
	for range maxWalks {
		t, still, ok := descendants()
		if !ok {
			break
		}
		if still || before != nil && maps.Equal(t, before) {
			return t
		}
		before = t
	}
	return scan()
}

// descendants follows the lists of children from this process on. still reports
// that none of the processes was dead or has ended meanwhile: the children of such
// a one go to a process whose list may have been read before. ok is false where the
// kernel has no such lists.
func descendants() (t table, still, ok bool) {
	t = table{}
	next, still, ok := childrenOf("/proc/self")
	for ok && len(next) > 0 {
		pid := next[0]
		next = next[1:]
		if _, seen := t[pid]; seen {
			continue
		}
		var more []int
		var whole bool
		more, whole, ok = childrenOf("/proc/" + strconv.Itoa(pid))
		next = append(next, more...)
		r, there := readRow(pid) // behind its list, which a living one has whole
		if there {
			t[pid] = r
		}
		still = still && whole && there && !r.dead
	}
	return t, still, ok
}

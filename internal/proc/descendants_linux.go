package proc

import (
	"maps"
	"strconv"
)

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

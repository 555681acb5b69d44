package proc

import (
	"os"
	"strconv"
	"strings"
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
		list, err := readProc("/proc/self/task/"+t.Name()+"/children", nil)
		if os.IsNotExist(err) && len(threads) > 1 && gone(t.Name()) {
			continue // the thread has ended meanwhile; another has its children
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

func gone(thread string) bool {
	_, err := os.Stat("/proc/self/task/" + thread)
	return os.IsNotExist(err)
}

// onlyChildren tells for certain that every descendant of this process is a
// child that spare selects, or descends from one. It spares the look at every
// process of the machine, and can only tell once orphans come to us.
func onlyChildren(spare func(pid int) bool) bool {
	if !adopts.Load() {
		return false
	}
	pids, ok := children()
	for _, pid := range pids {
		ok = ok && spare(pid)
	}
	return ok
}

package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ident names a process for good: pids are used again, a start time beside
// them is not.
type ident struct {
	pid   int
	start string // in clock ticks since boot
}

// row is one process as /proc shows it.
type row struct {
	ident
	parent, group int
	dead          bool // a zombie, all of its threads ended
}

// table is the process table of one moment, by pid.
type table map[int]row

// scan reads the process table; without /proc it is empty.
func scan() table {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	t := table{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if r, ok := readRow(pid); ok {
			t[pid] = r
		}
	}
	return t
}

func readRow(pid int) (row, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return row{}, false
	}
	return parseStat(pid, data)
}

// parseStat reads a line of /proc/PID/stat. The program's name in it may hold
// blanks and brackets, so fields count from the last bracket.
func parseStat(pid int, data []byte) (row, bool) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return row{}, false
	}
	const state, parent, group, threads, start = 0, 1, 2, 17, 19
	f := strings.Fields(string(data[end+1:]))
	if len(f) <= start {
		return row{}, false
	}
	r := row{ident: ident{pid: pid, start: f[start]}}
	var errParent, errGroup error
	r.parent, errParent = strconv.Atoi(f[parent])
	r.group, errGroup = strconv.Atoi(f[group])
	// A process whose first thread has ended shows as a zombie while others
	// of its threads run on.
	r.dead = f[state] == "X" || f[state] == "Z" && (f[threads] == "0" || f[threads] == "1")
	return r, errParent == nil && errGroup == nil
}

// below returns the processes of t whose line of parents reaches one of roots,
// without the roots and without the trees of processes that skip selects.
func (t table) below(roots map[int]bool, skip func(row) bool) []row {
	children := map[int][]row{}
	for _, r := range t {
		children[r.parent] = append(children[r.parent], r)
	}
	var found []row
	seen := map[int]bool{}
	var visit func(int)
	visit = func(pid int) {
		for _, r := range children[pid] {
			if seen[r.pid] || roots[r.pid] || skip(r) {
				continue
			}
			seen[r.pid] = true
			found = append(found, r)
			visit(r.pid)
		}
	}
	for pid := range roots {
		visit(pid)
	}
	return found
}

// signal sends s to the process that id names and to no other: the descriptor
// is opened first and the start time compared then.
func (id ident) signal(s unix.Signal) {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if r, ok := readRow(id.pid); !ok || r.ident != id {
		return
	}
	if err == nil {
		_ = unix.PidfdSendSignal(fd, s, nil, 0)
		return
	}
	// A kernel or a filter without pidfd leaves a window of microseconds.
	if err == unix.ENOSYS || err == unix.EPERM {
		_ = unix.Kill(id.pid, s)
	}
}

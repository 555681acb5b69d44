package proc

import (
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// huntTime bounds the search for the tree of one command.
const huntTime = time.Second

// tree is a command's process group and all that descends from it.
type tree struct {
	leader    int
	isOver    func() bool // of the leader
	childless bool
	freed     bool // the leader's pid was given back
	// earlier are the descendants at the time of the polite signal: their
	// parents may be gone when the kill follows.
	earlier map[ident]bool
}

func newTree(p *Process, child *os.Process, c Command) tree {
	return tree{leader: child.Pid, isOver: p.over, childless: c.Childless}
}

// terminate notes who is there, then sends SIGTERM to the group, which the command
// leads and so cannot leave. Who is stopped is woken for it.
func (t *tree) terminate() {
	t.earlier = map[ident]bool{}
	for _, r := range t.members() {
		t.earlier[r.ident] = true
	}
	for _, s := range []unix.Signal{unix.SIGTERM, unix.SIGCONT} {
		_ = unix.Kill(-t.leader, s)
	}
}

// foundByGroup reports that whoever is left of the tree of an ended leader can be
// found by its group alone: in a process that does not adopt, all others have
// gone to another parent.
func (t *tree) foundByGroup() bool { return !adopts.Load() && t.earlier == nil }

// reaped notes that the leader's pid was given back, and reports whether its
// group is empty.
func (t *tree) reaped() bool {
	t.freed = true
	return unix.Kill(-t.leader, 0) == unix.ESRCH
}

// foreign reports that the number of the group was given to somebody else. As
// long as one of ours is in the group, no process gets it.
func (t *tree) foreign() bool {
	if !t.freed {
		return false
	}
	_, exists := readRow(t.leader)
	return exists
}

// kill ends the group and every descendant that can be found, and returns
// when they are gone or the time for that is over.
func (t *tree) kill() {
	if t.foreign() {
		return
	}
	if !t.childless && !t.isEmpty() {
		// Frozen at one stroke, the group cannot give birth during the search.
		_ = unix.Kill(-t.leader, unix.SIGSTOP)
		hunt(huntTime, t.members)
	}
	if !t.foreign() {
		_ = unix.Kill(-t.leader, unix.SIGKILL)
	}
}

// close forgets the tree; nothing is held for it.
func (t *tree) close() { t.earlier = nil }

// members returns who lives of the leader, its group, those known before, and
// all that descends from them.
func (t *tree) members() []row {
	if t.isEmpty() {
		return nil
	}
	now := scan()
	roots := map[int]bool{}
	for pid, r := range now {
		if pid == t.leader || r.group == t.leader || t.earlier[r.ident] {
			roots[pid] = true
		}
	}
	found := now.below(roots, func(row) bool { return false })
	for pid := range roots {
		found = append(found, now[pid])
	}
	return slices.DeleteFunc(found, func(r row) bool { return r.dead })
}

// isEmpty reports for certain that the leader is dead and nobody of its tree is
// left: who descended from it would have become a child of this process, and
// all of those are commands. It spares the look at every process of the
// machine, and can only tell once orphans come to us.
func (t *tree) isEmpty() bool {
	if !adopts.Load() || !t.isOver() {
		return false
	}
	family.mu.Lock()
	defer family.mu.Unlock()
	pids, ok := children()
	return ok && family.areRunning(pids)
}

// awaitExit waits until the child has ended and leaves it unreaped: as long as
// its status waits to be taken, its pid names this child and this group only.
func awaitExit(child *os.Process) *os.ProcessState {
	for {
		err := unix.Waitid(unix.P_PID, child.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		switch err {
		case nil:
			return nil
		case unix.EINTR:
		default:
			state, _ := child.Wait()
			return state
		}
	}
}

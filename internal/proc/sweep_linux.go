package proc

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// adopts reports that orphans become children of this process. It holds for the
// operating system process as a whole.
var adopts atomic.Bool

// Adopt makes this process the parent of every descendant that loses its own (a
// child subreaper, see prctl(2)), so that Sweep finds what a command leaves
// behind. It lasts as long as the process and makes Sweep end processes, so it
// is meant for a program, not for a library or a test.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	adopts.Store(true)
	return nil
}

// Sweep kills and reaps every descendant of this process that does not belong
// to a running command, and returns how many it killed. Children that were not
// started through this package count as strays, and so does what has left a
// running command's group and lost its parent: sweep when the commands that
// matter have ended. It returns when a search finds none, or after limit.
// Without Adopt it does nothing.
func Sweep(limit time.Duration) int {
	if !adopts.Load() {
		return 0
	}
	return hunt(limit, family.strays)
}

// strays returns the descendants that belong to no running command, but for
// the dead among our own children, which it reaps.
func (k *kin) strays() []row {
	k.mu.Lock()
	defer k.mu.Unlock()
	if isChildless() {
		return nil
	}
	if pids, ok := children(); ok && k.areRunning(pids) {
		return nil
	}
	self := os.Getpid()
	found := relatives().below(map[int]bool{self: true}, func(r row) bool {
		return k.running[r.pid] != nil || k.running[r.group] != nil
	})
	return slices.DeleteFunc(found, func(r row) bool {
		if !r.dead || r.parent != self {
			return false
		}
		pid, err := unix.Wait4(r.pid, nil, unix.WNOHANG, nil)
		return err == nil && pid == r.pid
	})
}

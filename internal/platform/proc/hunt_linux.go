package proc

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// hunt ends every process that pick selects, those born meanwhile too, and
// returns how many it killed. It freezes before it kills: a frozen parent
// neither forks nor loses its children to another parent. When half of the
// time is over it kills without that. It returns when pick selects none, or at
// the end of the time, when it has killed all that it found last.
func hunt(limit time.Duration, pick func() []row) int {
	var (
		start  = time.Now()
		frozen = map[ident]bool{}
		killed = map[ident]bool{}
		pause  = time.Millisecond
	)
	for {
		found := pick()
		spent := time.Since(start)
		if len(found) == 0 {
			return len(killed)
		}
		if spent >= limit {
			signalNew(found, killed, unix.SIGKILL) // nobody is left frozen
			return len(killed)
		}
		if signalNew(found, frozen, unix.SIGSTOP) > 0 && spent < limit/2 {
			continue
		}
		signalNew(found, killed, unix.SIGKILL)
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// signalNew sends s to the living that have not got it yet, and returns their
// number.
func signalNew(found []row, got map[ident]bool, s unix.Signal) int {
	fresh := 0
	for _, r := range found {
		if r.dead || got[r.ident] {
			continue
		}
		got[r.ident] = true
		fresh++
		r.signal(s)
	}
	return fresh
}

// EndMarked ends every process that has entry ("NAME=value") in its environment
// and all that descends from one, whoever their parents are by now, and returns
// how many it killed. They have grace to end by themselves. It finds those that
// this user may look into; one that gave its environment up must descend from
// one that did not, or have done so when EndMarked began.
func EndMarked(entry string, grace, limit time.Duration) int {
	if name, _, ok := strings.Cut(entry, "="); !ok || name == "" {
		return 0 // what every environment could hold marks nobody
	}
	found := map[ident]bool{}
	pick := func() []row { return marked(entry, found) }
	for over := time.Now().Add(grace); time.Now().Before(over); time.Sleep(20 * time.Millisecond) {
		if len(pick()) == 0 {
			return 0
		}
	}
	return hunt(limit, pick)
}

// marked returns the living that are marked, known, or descend from such, and
// makes all of them known.
func marked(entry string, found map[ident]bool) []row {
	now := scan()
	roots := map[int]bool{}
	for pid, r := range now {
		if pid != os.Getpid() && (found[r.ident] || hasEntry(pid, entry)) {
			roots[pid] = true
		}
	}
	family := now.below(roots, func(r row) bool { return r.pid == os.Getpid() })
	for pid := range roots {
		family = append(family, now[pid])
	}
	var living []row
	for _, r := range family {
		found[r.ident] = true
		if !r.dead {
			living = append(living, r)
		}
	}
	return living
}

func hasEntry(pid int, entry string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for e := range bytes.SplitSeq(environ, []byte{0}) {
		if string(e) == entry {
			return true
		}
	}
	return false
}

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
	found := scan().below(map[int]bool{self: true}, func(r row) bool {
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

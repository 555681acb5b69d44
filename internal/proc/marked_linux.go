package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

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

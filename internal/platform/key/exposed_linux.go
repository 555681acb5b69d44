package key

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// minBytes is the length of the shortest key that is looked for: a shorter one
// is found by chance.
const minBytes = 8

// maxAncestors bounds the way up to the first process.
const maxAncestors = 64

// Exposed returns the id and the name of the nearest process that this one
// descends from and whose environment holds the key, as far as this user can
// look: there every command of the same user can read it. The id is 0 when
// there is none.
func Exposed(key string) (pid int, name string) {
	if len(key) < minBytes {
		return 0, ""
	}
	pid = os.Getppid()
	for range maxAncestors {
		comm, parent, err := lineage(pid)
		if err != nil {
			break
		}
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environ, []byte(key)) {
			return pid, comm
		}
		pid = parent
	}
	return 0, ""
}

// lineage returns the name of a process and the id of its parent: fields 2 and
// 4 of /proc/PID/stat, see proc_pid_stat(5).
func lineage(pid int) (comm string, parent int, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, err
	}
	stat := string(b)
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return "", 0, fmt.Errorf("/proc/%d/stat has no name", pid)
	}
	fields := strings.Fields(stat[end+1:])
	if len(fields) < 2 {
		return "", 0, fmt.Errorf("/proc/%d/stat has no parent", pid)
	}
	parent, err = strconv.Atoi(fields[1])
	return stat[open+1 : end], parent, err
}

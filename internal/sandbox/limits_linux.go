package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/openagent-ci/openagent/internal/sandbox/enter"
)

// limit prepares the limits of the policy.
func (w *Wall) limit() {
	l := w.policy.Limits
	if l.Processes > 0 || l.Memory > 0 {
		w.limitGroup(l)
	}
	for _, r := range []struct {
		resource int
		value    uint64
	}{{unix.RLIMIT_NOFILE, l.OpenFiles}, {unix.RLIMIT_FSIZE, l.FileSize}} {
		if r.value > 0 {
			w.steps = append(w.steps, enter.Step{Op: enter.Limit, Number: uint64(r.resource), Second: r.value})
		}
	}
}

// limitGroup bounds processes and memory by a control group, or else each process
// for itself.
func (w *Wall) limitGroup(l Limits) {
	group, err := newGroup(cgroupRoot, l)
	if err == nil {
		w.group = group
		w.steps = append(w.steps, enter.Step{Op: enter.Join, Number: 0}) // its descriptor comes with encode
		w.status.reach(ControlGroup, "processes and memory of all commands together are bounded")
		return
	}
	w.status.miss(ControlGroup, err.Error()+"; a limit of memory is one for each process, and one of processes counts all of the user", false)
	if l.Memory > 0 {
		w.steps = append(w.steps, enter.Step{Op: enter.Limit, Number: unix.RLIMIT_DATA, Second: l.Memory})
	}
	switch {
	case l.Processes == 0:
	case os.Geteuid() == 0 && w.policy.User == nil:
		w.status.miss(ControlGroup, "the number of root's processes is bounded by a control group alone; --sandbox-user runs commands as another user", true)
	default:
		w.steps = append(w.steps, enter.Step{Op: enter.Limit, Number: unix.RLIMIT_NPROC, Second: l.Processes})
	}
}

// cgroupRoot is where control groups are, by themselves or beside those of version 1.
const cgroupRoot = "/sys/fs/cgroup"

// group is a control group for all commands of a run.
type group struct {
	dir   string
	procs *os.File // cgroup.procs
	seen  map[string]uint64
}

// newGroup makes a group below our own one.
func newGroup(root string, l Limits) (*group, error) {
	above, err := ownGroup(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(above, "openagent-")
	if err != nil {
		return nil, fmt.Errorf("no control group can be made: %w", err)
	}
	g := &group{dir: dir, seen: map[string]uint64{}}
	for name, value := range map[string]uint64{"pids.max": l.Processes, "memory.max": l.Memory} {
		if value > 0 && err == nil {
			err = writeExisting(filepath.Join(dir, name), strconv.FormatUint(value, 10))
		}
	}
	if err == nil {
		g.procs, err = os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a control group here bounds nothing: %w", err), os.Remove(dir))
	}
	return g, nil
}

// writeExisting writes to a file and makes none: a group without the controller
// lacks it.
func writeExisting(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// ownGroup returns the folder of the control group of version 2 that we are in.
func ownGroup(root string) (string, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for _, dir := range []string{filepath.Join(root, path), filepath.Join(root, "unified", path)} {
			if _, err := os.Stat(filepath.Join(dir, "cgroup.controllers")); ok && err == nil {
				return dir, nil
			}
		}
	}
	return "", errors.New("the machine has no control groups of version 2")
}

// events are the counters of a group that go up when a limit is hit.
var events = []struct{ file, key, limit string }{
	{"memory.events", "oom_kill", "memory"},
	{"pids.events", "max", "processes"},
}

// hits returns the limits that were hit since the call before.
func (g *group) hits() (limits []string) {
	for _, e := range events {
		text, err := os.ReadFile(filepath.Join(g.dir, e.file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			value, ok := strings.CutPrefix(strings.TrimSpace(line), e.key+" ")
			n, err := strconv.ParseUint(value, 10, 64)
			if ok && err == nil && n > g.seen[e.file] {
				g.seen[e.file] = n
				limits = append(limits, e.limit)
			}
		}
	}
	return limits
}

// groupPatience bounds the wait for the last process of a group, which is dead.
const groupPatience = time.Second

func (g *group) remove() error {
	err := g.procs.Close()
	for over := time.Now().Add(groupPatience); ; time.Sleep(5 * time.Millisecond) {
		removed := os.Remove(g.dir)
		if removed == nil || errors.Is(removed, fs.ErrNotExist) {
			return err
		}
		if time.Now().After(over) {
			return errors.Join(err, removed)
		}
	}
}

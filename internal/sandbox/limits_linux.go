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
	"github.com/openagent-ci/openagent/internal/sandbox/private"
)

// defaultProcesses bounds the processes of all commands together where the policy has
// no limit.
const defaultProcesses = 4096

// limit prepares the limits of the policy.
func (w *Wall) limit() {
	l := w.policy.Limits
	w.limitGroup(l)
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
// for itself. Only a control group bounds the memory of a whole process tree, and the
// number of root's processes; RLIMIT_NPROC does not apply to root, and counts for
// others what the user runs besides.
func (w *Wall) limitGroup(l Limits) {
	asked := l.Processes > 0
	if !asked {
		l.Processes = defaultProcesses
	}
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
	var machine unix.Sysinfo_t
	switch {
	case os.Geteuid() == 0 && w.policy.User == nil:
		w.status.miss(ControlGroup, "the number of root's processes is bounded by a control group alone; --sandbox-user runs commands as another user", asked)
	case !asked && unix.Sysinfo(&machine) == nil: // what the user runs besides counts too
		l.Processes += uint64(machine.Procs)
		fallthrough
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
	lock  *os.File // held as long as this process lives, nil where none can be
	seen  map[string]uint64
}

// newGroup makes a group below our own one or, where that bounds nothing because it
// has processes, beside it.
func newGroup(root string, l Limits) (*group, error) {
	above, err := groupParents(root)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, dir := range above {
		g, err := makeGroup(dir, l)
		if err == nil {
			return g, nil
		}
		failed = append(failed, err)
	}
	return nil, failed[0]
}

// groupPrefix begins the name of every group of ours.
const groupPrefix = "openagent-"

func makeGroup(above string, l Limits) (*group, error) {
	dir, err := os.MkdirTemp(above, groupPrefix)
	if err != nil {
		return nil, fmt.Errorf("no control group can be made: %w", err)
	}
	g := &group{dir: dir, lock: private.Lock(dir), seen: map[string]uint64{}}
	for name, value := range map[string]uint64{"pids.max": l.Processes, "memory.max": l.Memory} {
		if value > 0 && err == nil {
			err = writeExisting(filepath.Join(dir, name), strconv.FormatUint(value, 10))
		}
	}
	if err == nil {
		g.procs, err = os.OpenFile(filepath.Join(dir, "cgroup.procs"), os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a control group here bounds nothing: %w", err), g.unlock(), os.Remove(dir))
	}
	return g, nil
}

func (g *group) unlock() error {
	if g.lock == nil {
		return nil
	}
	return g.lock.Close()
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

// groupParents returns the folders in which a group may be made, our own one first. The
// one above follows only if ours has no limits, which a group beside it would escape.
func groupParents(root string) ([]string, error) {
	own, err := ownGroup(root)
	if err != nil {
		return nil, err
	}
	above := filepath.Dir(own)
	if _, err := os.Stat(filepath.Join(above, "cgroup.controllers")); err != nil || bounded(own) {
		return []string{own}, nil
	}
	return []string{own, above}, nil
}

// bounded reports whether a group has limits of its own.
func bounded(dir string) bool {
	for _, name := range []string{"memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max", "cpuset.cpus", "io.max"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if limit := strings.TrimSpace(string(text)); err == nil && limit != "" && !strings.HasPrefix(limit, "max") {
			return true
		}
	}
	return false
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
	if g == nil {
		return nil
	}
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

// remove ends what is left in the group and removes it, and then groups that killed
// runs left beside it.
func (g *group) remove() error {
	_ = writeExisting(filepath.Join(g.dir, "cgroup.kill"), "1") // kernels before 5.14 have none
	err := errors.Join(g.procs.Close(), removeGroup(g.dir), g.unlock())
	list, _ := filepath.Glob(filepath.Join(filepath.Dir(g.dir), groupPrefix+"*"))
	for _, dir := range list[:min(len(list), maxSweptGroups)] {
		if lock := private.LockLeft(dir, time.Now()); lock != nil {
			_ = os.Remove(dir) // not while a process is in it
			_ = lock.Close()
		}
	}
	return err
}

// maxSweptGroups bounds the groups that are looked at.
const maxSweptGroups = 64

// removeGroup removes a group once its last process is gone.
func removeGroup(dir string) error {
	for over := time.Now().Add(groupPatience); ; time.Sleep(5 * time.Millisecond) {
		err := os.Remove(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if time.Now().After(over) {
			return err
		}
	}
}

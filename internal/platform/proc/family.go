package proc

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// family is the set of running commands. Children, and the adoption of
// orphans, belong to the operating system process as a whole, hence so does
// this set.
var family = &kin{running: map[int]*Process{}}

type kin struct {
	// mu is held while a child is born or reaped, and while Sweep looks for
	// strays, so that a child is never taken for one and a status never lost.
	mu      sync.Mutex
	running map[int]*Process
}

// start creates the child of p and takes it into the set.
func (k *kin) start(p *Process, c Command, files []*os.File) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	attr := &os.ProcAttr{
		Dir:   c.Dir,
		Env:   environ(c.Env),
		Files: append(files, c.ExtraFiles...),
		Sys:   sysProcAttr(c),
	}
	if c.Attr != nil {
		c.Attr(attr.Sys)
	}
	child, err := startProcess(c.Path, c.Args, attr)
	if err != nil {
		return err
	}
	p.os, p.tree = child, newTree(p, child, c)
	k.running[child.Pid] = p
	return nil
}

// areRunning reports whether each of pids is a command of the set. The caller
// holds the lock.
func (k *kin) areRunning(pids []int) bool {
	return !slices.ContainsFunc(pids, func(pid int) bool { return k.running[pid] == nil })
}

// environ returns env with the last entry of each name alone, never nil, which
// would mean our own environment. Of two entries most programs see the first, a
// shell the last.
func environ(env []string) []string {
	kept, seen := make([]string, 0, len(env)), map[string]bool{}
	for _, entry := range slices.Backward(env) {
		name, _, _ := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		// Windows has hidden variables, such as =C:, whose names are cut to nothing.
		if name != "" && seen[name] {
			continue
		}
		seen[name] = true
		kept = append(kept, entry)
	}
	slices.Reverse(kept)
	return kept
}

// forget takes p out of the set while reap frees its pid.
func (k *kin) forget(p *Process, reap func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	reap()
	if k.running[p.os.Pid] == p {
		delete(k.running, p.os.Pid)
	}
}

// KillAll kills every running command with its tree at once.
func KillAll() {
	family.mu.Lock()
	var all []*Process
	for _, p := range family.running {
		all = append(all, p)
	}
	family.mu.Unlock()
	var done sync.WaitGroup
	for _, p := range all {
		done.Go(p.Kill)
	}
	done.Wait()
}

package proc

import (
	"os"
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
		Dir: c.Dir,
		// A nil environment would mean our own.
		Env:   append([]string{}, c.Env...),
		Files: append(files, c.ExtraFiles...),
		Sys:   sysProcAttr(c),
	}
	child, err := startProcess(c.Path, c.Args, attr)
	if err != nil {
		return err
	}
	p.os, p.tree = child, newTree(child)
	k.running[child.Pid] = p
	return nil
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

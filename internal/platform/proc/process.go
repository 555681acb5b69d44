package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	defaultDrain = time.Second
	// killPatience bounds the wait for a command after SIGKILL; one that runs
	// as another user, or hangs in the kernel, takes longer or for ever.
	killPatience = 2 * time.Second
)

// Process is a started command. Wait must be called for it, once or more.
type Process struct {
	grace, drain time.Duration
	started      time.Time
	os           *os.Process
	outputs      []*output
	stdin        *input

	exited chan struct{} // closed by watch when the command has ended
	ended  time.Time     // set before exited is closed
	killed chan struct{} // closed by the first Kill

	waiting sync.Once
	exit    Exit

	mu          sync.Mutex // guards what follows, and the use of the pid
	tree        tree
	state       *os.ProcessState
	gone        bool // reaped: the pid is no longer ours
	interrupted bool
	killing     bool
}

// Start starts c in a process group of its own. An error means that nothing
// runs.
func Start(c Command) (*Process, error) {
	p := &Process{
		grace:  c.Grace,
		drain:  c.Drain,
		exited: make(chan struct{}),
		killed: make(chan struct{}),
	}
	if p.drain == 0 {
		p.drain = defaultDrain
	}
	pipes, err := p.connect(c)
	if err == nil {
		p.started = time.Now()
		err = family.start(p, c, pipes.child)
		if err != nil {
			err = cmp.Or(checkDir(c.Dir), err)
		}
	}
	pipes.closeChild()
	if err != nil {
		pipes.closeOurs()
		var path *os.PathError
		if errors.As(err, &path) && path.Path == c.Path {
			err = path.Err // the program is named already
		}
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	for _, o := range p.outputs {
		go o.copy()
	}
	if p.stdin != nil {
		go p.stdin.copy()
	}
	go p.watch()
	return p, nil
}

// checkDir returns an error that names a missing folder. Without it, exec would
// say that the program is missing.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return &os.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

// watch waits for the command to end; where the system allows, its pid stays
// taken until reap, so that the group can still be signalled by it.
func (p *Process) watch() {
	state := awaitExit(p.os)
	p.mu.Lock()
	p.ended, p.state = time.Now(), state
	p.mu.Unlock()
	close(p.exited)
}

// Wait returns when the command has ended, its output is written and what it
// left in its tree is killed. When ctx ends first the command is ended: the
// polite signal, then after Grace the kill. A child that holds the output open
// delays Wait by Drain at most, one that cannot be killed by a few seconds.
// Further calls return the same Exit.
func (p *Process) Wait(ctx context.Context) Exit {
	p.waiting.Do(func() { p.exit = p.wait(ctx) })
	return p.exit
}

func (p *Process) wait(ctx context.Context) Exit {
	survived := !p.awaitEnd(ctx)
	if !survived {
		if p.endedByUs() {
			p.killTree() // nothing more to wait for
		}
		p.awaitOutput()
		if !p.reapAlone() {
			p.killTree()
		}
	}
	err := p.cutOutput()
	if survived {
		go func() {
			<-p.exited
			p.reap()
		}()
		return Exit{Status: -1, Interrupted: true, Survived: true, Duration: time.Since(p.started), OutputErr: err}
	}
	p.reap()
	exit := describe(p.state)
	exit.Interrupted = p.interrupted
	exit.Duration = p.ended.Sub(p.started)
	exit.OutputErr = err
	return exit
}

// awaitEnd returns whether the command ended, by itself or by our doing.
func (p *Process) awaitEnd(ctx context.Context) bool {
	select {
	case <-p.exited:
		return true
	case <-p.killed:
	case <-ctx.Done():
		p.terminate()
	}
	select {
	case <-p.exited:
		return true
	case <-p.killed:
	case <-time.After(p.grace):
		p.Kill()
	}
	select {
	case <-p.exited:
		return true
	case <-time.After(killPatience):
		return false
	}
}

// terminate sends the polite signal to the group of a command that still runs.
func (p *Process) terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over() {
		return
	}
	p.interrupted = true
	if p.grace > 0 {
		p.tree.terminate()
	}
}

// Kill ends the command and its tree at once; it may be called from any
// goroutine, at any time and more than once. Wait tells when they are gone.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.killing {
		p.killing = true
		close(p.killed)
	}
	if p.gone {
		return
	}
	if !p.over() {
		p.interrupted = true
	}
	p.tree.kill()
}

// killTree kills what the ended command left behind.
func (p *Process) killTree() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tree.kill()
}

// reapAlone reaps the ended command and reports whether it left nobody behind,
// where that can be told without a look at other processes.
func (p *Process) reapAlone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.interrupted || !p.tree.foundByGroup() {
		return false
	}
	p.freePid()
	return p.tree.reaped()
}

func (p *Process) endedByUs() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.interrupted
}

func (p *Process) over() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// reap takes the exit status, which frees the pid.
func (p *Process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freePid()
	p.gone = true
	p.tree.close()
}

// freePid takes the exit status, if that was not done.
func (p *Process) freePid() {
	family.forget(p, func() {
		if p.state == nil {
			p.state, _ = p.os.Wait()
		}
	})
}

// exitStatus is what every operating system reports of an ended command.
func exitStatus(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{Status: -1}
	}
	return Exit{Status: state.ExitCode(), MaxRSS: maxRSS(state)}
}

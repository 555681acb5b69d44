//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

// sysProcAttr asks for a session of its own: a group, and no terminal.
func sysProcAttr(Command) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// awaitExit waits for the child and reaps it: there is no waiting without.
// The kernel gives no pid away that still names a group, so what is left of
// the group can be signalled afterwards.
func awaitExit(child *os.Process) *os.ProcessState {
	state, _ := child.Wait()
	return state
}

// tree is the process group of a command. A process that leaves the group
// cannot be reached any more.
type tree struct{ group int }

func newTree(_ *Process, child *os.Process, _ Command) tree { return tree{group: child.Pid} }

func (t *tree) terminate() {
	_ = syscall.Kill(-t.group, syscall.SIGTERM)
	_ = syscall.Kill(-t.group, syscall.SIGCONT)
}

func (t *tree) kill()  { _ = syscall.Kill(-t.group, syscall.SIGKILL) }
func (t *tree) close() {}

// foundByGroup reports nothing: the leader is reaped already.
func (t *tree) foundByGroup() bool { return false }
func (t *tree) reaped() bool       { return false }

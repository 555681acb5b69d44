//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
	"time"
)

// Adopt would make this process inherit the orphans among its descendants;
// only Linux can, so it returns ErrNotSupported.
func Adopt() error { return ErrNotSupported }

// Sweep ends what Adopt brought in, which here is nothing: it returns 0.
func Sweep(time.Duration) int { return 0 }

func startProcess(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	return os.StartProcess(path, args, attr)
}

func sysProcAttr(Command) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitExit waits for the child and reaps it: there is no waiting without.
// The kernel gives no pid away that still names a group, so what is left of
// the group can be signalled afterwards.
func awaitExit(child *os.Process) *os.ProcessState {
	state, _ := child.Wait()
	return state
}

// tree is the process group of a command: who leaves it is out of reach.
type tree struct{ group int }

func newTree(child *os.Process) tree { return tree{group: child.Pid} }

func (t *tree) terminate() {
	_ = syscall.Kill(-t.group, syscall.SIGTERM)
	_ = syscall.Kill(-t.group, syscall.SIGCONT)
}

func (t *tree) kill()  { _ = syscall.Kill(-t.group, syscall.SIGKILL) }
func (t *tree) close() {}

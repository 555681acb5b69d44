package proc

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// forks passes work to the one thread from which all children are started. The
// kernel sends the parent-death signal when the thread that forked ends, not
// when the process ends, and Go may end any thread but this one, which is
// locked.
var forks = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// onForkThread runs do on that thread and returns when it has.
func onForkThread(do func()) {
	done := make(chan struct{})
	forks() <- func() {
		defer close(done)
		do()
	}
	<-done
}

func startProcess(path string, args []string, attr *os.ProcAttr) (child *os.Process, err error) {
	onForkThread(func() { child, err = os.StartProcess(path, args, attr) })
	return child, err
}

// sysProcAttr asks for a session of its own, and so a group and no terminal, which
// would stop what reads it and show what is written to it, and for the signal at our
// death, if any.
func sysProcAttr(c Command) *syscall.SysProcAttr {
	signal := syscall.SIGKILL
	switch {
	case c.Outlives:
		signal = 0
	case c.PoliteParentDeath:
		signal = syscall.SIGTERM
	}
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: signal}
}

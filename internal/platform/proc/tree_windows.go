package proc

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func sysProcAttr(Command) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func awaitExit(child *os.Process) *os.ProcessState {
	state, _ := child.Wait()
	return state
}

func describe(state *os.ProcessState) Exit { return exitStatus(state) }

func maxRSS(*os.ProcessState) int64 { return 0 }

// readNow reads nothing: pipes know no deadline here, so none is cut short.
func readNow(uintptr, []byte) int { return 0 }

// tree is a job object: children belong to it from their birth, and it ends
// with us. A child born between the start of the command and its joining the
// job, a matter of microseconds, is out of reach.
type tree struct {
	job windows.Handle
	pid int
}

func newTree(_ *Process, child *os.Process, _ Command) tree {
	t := tree{pid: child.Pid}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return t
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		handleErr := child.WithHandle(func(h uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(h))
		})
		if handleErr != nil {
			err = handleErr
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return t
	}
	t.job = job
	return t
}

// terminate sends Ctrl+Break, which a program without a console never sees.
func (t *tree) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.pid))
}

func (t *tree) kill() {
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
	}
}

func (t *tree) close() {
	if t.job != 0 {
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}

// foundByGroup reports nothing: the job is ended in any case.
func (t *tree) foundByGroup() bool { return false }
func (t *tree) reaped() bool       { return false }

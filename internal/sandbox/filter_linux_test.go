package sandbox

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// answerOf runs a seccomp program as the kernel does.
func answerOf(t *testing.T, program []unix.SockFilter, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	data := func(offset uint32) uint32 {
		switch {
		case offset == dataNumber:
			return call
		case offset == dataArch:
			return arch
		}
		i := (offset - dataArguments) / 8
		if int(i) >= len(args) {
			return 0
		}
		return uint32(args[i] >> (8 * (offset % 8)))
	}
	var a uint32
	for pc := 0; pc < len(program); pc++ {
		i := program[pc]
		holds := false
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = data(i.K)
			continue
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = a == i.K
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			holds = a > i.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			holds = a&i.K != 0
		default:
			t.Fatalf("instruction %d is %+v", pc, i)
		}
		if holds {
			pc += int(i.Jt)
		} else {
			pc += int(i.Jf)
		}
	}
	t.Fatal("the program ends without an answer")
	return 0
}

// Every number is allowed, unless it is in one of the lists.
func TestFilter_EveryNumber(t *testing.T) {
	program := filter(NetworkOn)
	refused := slices.Concat(append(refusedCalls, refusedHere)...)
	for call := range uint32(lastCall + 100) {
		want := uint32(allow)
		switch {
		case call > lastCall || slices.Contains(missingCalls, call):
			want = unknownCall
		case slices.Contains(refused, call):
			want = refuse
		}
		if got := answerOf(t, program, auditArch, call); got != want {
			t.Errorf("call %d answers %#x, want %#x", call, got, want)
		}
	}
	if len(refused) < 50 {
		t.Errorf("%d calls are refused, want all of the lists", len(refused))
	}
	for _, call := range []uint32{0x40000000, 0x40000000 | unix.SYS_PTRACE, 1 << 31} {
		if got := answerOf(t, program, auditArch, call); got != unknownCall {
			t.Errorf("call %#x answers %#x, want ENOSYS", call, got)
		}
	}
	if got := answerOf(t, program, unix.AUDIT_ARCH_I386, unix.SYS_READ); got != refuse {
		t.Errorf("a call of another machine answers %#x, want EPERM", got)
	}
}

// The calls that the documentation names are in the lists, and those that programs
// cannot do without are not.
func TestFilter_NamedCalls(t *testing.T) {
	program := filter(NetworkOff)
	for want, calls := range map[uint32][]uint32{
		refuse: {
			unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
			unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_FSMOUNT, unix.SYS_SETNS, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
			unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_ENTER, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
			unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_OPEN_BY_HANDLE_AT,
		},
		unknownCall: {unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP},
		allow: {
			unix.SYS_EXECVE, unix.SYS_CLONE, unix.SYS_FUTEX, unix.SYS_PRCTL, unix.SYS_SECCOMP, unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_MEMFD_CREATE,
			unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_INOTIFY_INIT1, unix.SYS_CLOSE_RANGE, unix.SYS_STATX, unix.SYS_PRLIMIT64, unix.SYS_SETUID,
		},
	} {
		for _, call := range calls {
			if got := answerOf(t, program, auditArch, call); got != want {
				t.Errorf("call %d answers %#x, want %#x", call, got, want)
			}
		}
	}
}

func TestFilter_ByArguments(t *testing.T) {
	const high = uint64(1) << 32
	for _, c := range []struct {
		network Network
		call    uint32
		args    []uint64
		want    uint32
	}{
		{NetworkOn, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, allow},
		{NetworkOn, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_NEWUSER}, refuse},
		{NetworkOn, unix.SYS_CLONE, []uint64{unix.CLONE_NEWNS}, refuse},
		{NetworkOn, unix.SYS_CLONE, []uint64{unix.CLONE_NEWPID}, refuse},
		{NetworkOn, unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allow},
		{NetworkOn, unix.SYS_UNSHARE, []uint64{unix.CLONE_FS}, allow},
		{NetworkOn, unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWTIME}, refuse},
		{NetworkOn, unix.SYS_UNSHARE, []uint64{unix.CLONE_FS | unix.CLONE_NEWNET}, refuse},
		{NetworkOn, unix.SYS_IOCTL, []uint64{0, unix.TCGETS}, allow},
		{NetworkOn, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, refuse},
		{NetworkOn, unix.SYS_IOCTL, []uint64{0, high | unix.TIOCSTI}, refuse}, // the kernel cuts it too
		{NetworkOn, unix.SYS_IOCTL, []uint64{0, unix.TIOCLINUX}, refuse},
		{NetworkOn, unix.SYS_PRLIMIT64, []uint64{0, 0, 1}, allow},
		{NetworkOn, unix.SYS_PRLIMIT64, []uint64{7, 0, 0}, allow},
		{NetworkOn, unix.SYS_PRLIMIT64, []uint64{7, 0, 1}, refuse},
		{NetworkOn, unix.SYS_PRLIMIT64, []uint64{7, 0, high}, refuse},
		{NetworkOn, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 0}, allow},
		{NetworkOn, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_PROCESS, 7}, refuse},
		{NetworkOn, unix.SYS_SETPRIORITY, []uint64{unix.PRIO_USER, 0}, refuse},
		{NetworkOn, unix.SYS_IOPRIO_SET, []uint64{1, 0}, allow},
		{NetworkOn, unix.SYS_IOPRIO_SET, []uint64{1, 7}, refuse},
		{NetworkOn, unix.SYS_IOPRIO_SET, []uint64{3, 0}, refuse},
		{NetworkOn, unix.SYS_SCHED_SETATTR, []uint64{0}, allow},
		{NetworkOn, unix.SYS_SCHED_SETATTR, []uint64{7}, refuse},
		{NetworkOn, unix.SYS_SCHED_SETSCHEDULER, []uint64{0, unix.SCHED_IDLE}, allow},
		{NetworkOn, unix.SYS_SCHED_SETSCHEDULER, []uint64{7, unix.SCHED_NORMAL}, allow},
		{NetworkOn, unix.SYS_SCHED_SETSCHEDULER, []uint64{7, unix.SCHED_IDLE}, refuse},
		{NetworkOn, unix.SYS_SCHED_SETSCHEDULER, []uint64{7, unix.SCHED_BATCH}, refuse},
		{NetworkOn, unix.SYS_SCHED_SETAFFINITY, []uint64{7}, allow}, // how threads are bound
		{NetworkOn, unix.SYS_SOCKET, []uint64{unix.AF_INET}, allow},
		{NetworkLoopback, unix.SYS_SOCKET, []uint64{unix.AF_INET}, allow},
		{NetworkLoopback, unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, allow},
		{NetworkLoopback, unix.SYS_SOCKET, []uint64{unix.AF_INET6}, allow},
		{NetworkLoopback, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK}, allow},
		{NetworkLoopback, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, refuse}, // the machine's, in every network namespace
		{NetworkLoopback, unix.SYS_SOCKET, []uint64{unix.AF_BLUETOOTH}, refuse},
		{NetworkOn, unix.SYS_SOCKET, []uint64{unix.AF_VSOCK}, allow},
		{NetworkOff, unix.SYS_SOCKET, []uint64{unix.AF_UNIX}, allow},
		{NetworkOff, unix.SYS_SOCKET, []uint64{unix.AF_INET}, refuse},
		{NetworkOff, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK}, refuse},
		{NetworkOff, unix.SYS_SOCKET, []uint64{high | unix.AF_INET6}, refuse},
	} {
		if got := answerOf(t, filter(c.network), auditArch, c.call, c.args...); got != c.want {
			t.Errorf("network %s: call %d with %#x answers %#x, want %#x", c.network, c.call, c.args, got, c.want)
		}
	}
}

// RefusedCalls prints the calls that are not refused here as they should be. It runs
// within the wall alone: some of them would harm the machine.
func RefusedCalls() (wrong []string) {
	check := func(call uint32, want unix.Errno, args ...uintptr) {
		args = append(args, 0, 0, 0)
		if _, _, errno := unix.Syscall(uintptr(call), args[0], args[1], args[2]); errno != want {
			wrong = append(wrong, fmt.Sprintf("call %d: %v, want %v", call, errno, want))
		}
	}
	for _, call := range slices.Concat(append(refusedCalls, refusedHere)...) {
		check(call, unix.EPERM)
	}
	for _, call := range append(missingCalls, lastCall+1, lastCall+50) {
		check(call, unix.ENOSYS)
	}
	check(unix.SYS_UNSHARE, unix.EPERM, unix.CLONE_NEWUSER)
	check(unix.SYS_CLONE, unix.EPERM, unix.CLONE_NEWNS)
	check(unix.SYS_IOCTL, unix.EPERM, 0, unix.TIOCSTI)
	check(unix.SYS_PRLIMIT64, unix.EPERM, uintptr(os.Getppid()), 0, 1)
	check(unix.SYS_SETPRIORITY, unix.EPERM, unix.PRIO_PROCESS, uintptr(os.Getppid()), 19)
	check(unix.SYS_SCHED_SETSCHEDULER, unix.EPERM, uintptr(os.Getppid()), unix.SCHED_IDLE)
	check(unix.SYS_SOCKET, unix.EPERM, unix.AF_INET)
	return wrong
}

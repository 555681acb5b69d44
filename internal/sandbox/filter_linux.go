package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The fields of struct seccomp_data that filters look at.
const (
	dataNumber    = 0
	dataArch      = 4
	dataArguments = 16
)

const (
	allow       = unix.SECCOMP_RET_ALLOW
	refuse      = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknownCall = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// lastCall is the highest number that the filter has. Newer calls are answered as
// by a kernel that does not have them, which programs are ready for.
const lastCall = unix.SYS_FILE_SETATTR

// namespaces are the flags of clone and unshare that make a new namespace; the one
// for time has no place among those of clone.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// refusedCalls are refused whatever their arguments, in groups of one reason.
var refusedCalls = [][]uint32{
	// Other processes: their memory, registers and descriptors.
	{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE},
	// Mounts, roots and namespaces.
	{unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD},
	// Files past their paths.
	{unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT},
	// Keyrings.
	{unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL},
	// Parts of the kernel that few programs need and many holes were found in.
	{unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER},
	// The machine itself: kernel, modules, clock, names, accounting, log.
	{unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_VHANGUP},
}

// missingCalls are answered as by a kernel without them. The C library then starts
// threads by clone, whose flags the filter can see, as those of clone3 it cannot.
var missingCalls = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP}

// condition refuses a call when an argument, of which it sees 32 bits, has a bit of
// mask, or is one of values.
type condition struct {
	call     uint32
	argument int
	mask     uint32
	values   []uint32
}

var conditions = []condition{
	{call: unix.SYS_CLONE, mask: namespaces},
	{call: unix.SYS_UNSHARE, mask: namespaces | unix.CLONE_NEWTIME},
	// Input for the terminal of whoever started us.
	{call: unix.SYS_IOCTL, argument: 1, values: []uint32{unix.TIOCSTI, unix.TIOCLINUX}},
}

// assembler makes a filter. Every instruction jumps at most over the next few.
type assembler []unix.SockFilter

func (a *assembler) load(offset uint32) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// jump goes on with the next instruction if the test holds, else skips some.
func (a *assembler) jump(test uint16, k uint32, skip uint8) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: k, Jf: skip})
}

func (a *assembler) answer(with uint32) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with})
}

// argument loads the lower half of an argument.
func (a *assembler) argument(i int) { a.load(dataArguments + 8*uint32(i)) }

// filter returns the seccomp program for commands.
func filter(network Network) []unix.SockFilter {
	var a assembler
	a.load(dataArch)
	a = append(a, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: auditArch, Jt: 1})
	a.answer(refuse) // another machine's calls have other numbers
	a.load(dataNumber)
	a.jump(unix.BPF_JGT, lastCall, 1) // those of x32 too
	a.answer(unknownCall)
	for _, call := range missingCalls {
		a.jump(unix.BPF_JEQ, call, 1)
		a.answer(unknownCall)
	}
	for _, group := range append(refusedCalls, refusedHere) {
		for _, call := range group {
			a.jump(unix.BPF_JEQ, call, 1)
			a.answer(refuse)
		}
	}
	for _, c := range conditions {
		a.refuseIf(c)
	}
	a.otherLimits()
	a.otherPriorities()
	if families := families[network]; families != nil {
		a.onlySockets(families)
	}
	a.answer(allow)
	return a
}

func (a *assembler) refuseIf(c condition) {
	tests := uint8(1)
	if c.mask == 0 {
		tests = uint8(len(c.values))
	}
	a.jump(unix.BPF_JEQ, c.call, 2*tests+2)
	a.argument(c.argument)
	if c.mask != 0 {
		a.jump(unix.BPF_JSET, c.mask, 1)
		a.answer(refuse)
	}
	for _, v := range c.values {
		a.jump(unix.BPF_JEQ, v, 1)
		a.answer(refuse)
	}
	a.answer(allow)
}

// otherLimits refuses to set the limits of another process: with one of processor
// time its user can end it, which Landlock's scope of signals does not see.
func (a *assembler) otherLimits() {
	a.jump(unix.BPF_JEQ, unix.SYS_PRLIMIT64, 9)
	a.argument(0)
	a.jump(unix.BPF_JEQ, 0, 1) // the process itself
	a.answer(allow)
	a.argument(2)
	a.jump(unix.BPF_JEQ, 0, 3)
	a.load(dataArguments + 8*2 + 4)
	a.jump(unix.BPF_JEQ, 0, 1) // no new limit: it only asks
	a.answer(allow)
	a.answer(refuse)
}

// otherPriorities refuses to slow down another process by its number, which needs no
// right over one of the same user. Where a thread may set its own by its number, as
// the C library does, only the policies that give way to all others are refused.
func (a *assembler) otherPriorities() {
	for _, c := range []struct {
		call    uint32
		number  int    // the argument that is the process
		ofAUser uint32 // the first argument that means all of a user
	}{{unix.SYS_SETPRIORITY, 1, unix.PRIO_USER}, {unix.SYS_IOPRIO_SET, 1, 3}, {unix.SYS_SCHED_SETATTR, 0, ^uint32(0)}} {
		a.jump(unix.BPF_JEQ, c.call, 7)
		a.argument(0)
		a.jump(unix.BPF_JEQ, c.ofAUser, 1)
		a.answer(refuse)
		a.argument(c.number)
		a.jump(unix.BPF_JEQ, 0, 1)
		a.answer(allow)
		a.answer(refuse)
	}
	a.jump(unix.BPF_JEQ, unix.SYS_SCHED_SETSCHEDULER, 9)
	a.argument(0)
	a.jump(unix.BPF_JEQ, 0, 1) // the thread itself
	a.answer(allow)
	a.argument(1)
	a.jump(unix.BPF_JEQ, unix.SCHED_IDLE, 1)
	a.answer(refuse)
	a.jump(unix.BPF_JEQ, unix.SCHED_BATCH, 1)
	a.answer(refuse)
	a.answer(allow)
}

// families are the sockets that a network allows, nil for all. A network namespace does
// not hold those of a virtual machine (AF_VSOCK) and others that know no devices.
var families = map[Network][]uint32{
	NetworkOff:      {unix.AF_UNIX},
	NetworkLoopback: {unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK},
}

func (a *assembler) onlySockets(families []uint32) {
	a.jump(unix.BPF_JEQ, unix.SYS_SOCKET, uint8(2*len(families)+2))
	a.argument(0)
	for _, family := range families {
		a.jump(unix.BPF_JEQ, family, 1)
		a.answer(allow)
	}
	a.answer(refuse)
}

// layOut returns the program as the kernel reads it.
func layOut(program []unix.SockFilter) string {
	var b []byte
	for _, i := range program {
		b = binary.NativeEndian.AppendUint16(b, i.Code)
		b = append(b, i.Jt, i.Jf)
		b = binary.NativeEndian.AppendUint32(b, i.K)
	}
	return string(b)
}

package enter

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// Entered is false in every program that goes on to be set up: one in the role
// becomes the command or ends.
var Entered = enter()

// enter takes the steps of the plan and becomes the command, if the program was
// started for that. It runs on the thread that execs, so what restricts one thread
// restricts the command; the others end at that moment.
func enter() bool {
	if len(os.Args) < 3 || os.Args[0] != Name {
		return false
	}
	runtime.LockOSThread()
	syscall.CloseOnExec(PlanFile)
	syscall.CloseOnExec(ReportFile)
	steps, err := readPlan()
	if err != nil {
		fail("read the plan", err)
	}
	for len(steps) > 0 {
		step, rest, ok := decode(steps)
		if !ok {
			fail("read the plan", syscall.EINVAL)
		}
		if step.Op == Nothing {
			os.Exit(0)
		}
		if err := Run(step); err != nil && !step.Optional {
			fail(step.Op.String(), err)
		}
		steps = rest
	}
	fail("start "+os.Args[1], syscall.Exec(os.Args[1], os.Args[2:], syscall.Environ()))
	return true
}

// fail reports why the command did not start, and ends the process.
func fail(step string, err error) {
	reason := step + ": " + err.Error()
	errno, ok := err.(syscall.Errno)
	if !ok {
		errno = syscall.EIO
	}
	_, _ = syscall.Write(ReportFile, append([]byte{byte(errno)}, step...))
	_, _ = syscall.Write(syscall.Stderr, []byte("openagent: error: sandbox: "+reason+"\n"))
	os.Exit(StatusFailed)
}

// readPlan reads the plan from its begin, wherever another process that shares the
// open file has read to.
func readPlan() ([]byte, error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(PlanFile, &stat); err != nil {
		return nil, err
	}
	plan := make([]byte, stat.Size)
	n, err := syscall.Pread(PlanFile, plan, 0)
	if err == nil && n < len(plan) {
		err = syscall.EIO
	}
	return plan, err
}

// Run runs one step. Join and Limit concern the whole process, the others only
// the thread that calls it, which must be locked.
func Run(s Step) error {
	switch s.Op {
	case Unshare:
		return unshare(s.Number)
	case MapUser:
		return mapUser(s.Number, s.Second)
	case ReadOnly:
		return readOnly(s.Text)
	case Cover:
		return cover(s.Text)
	case Pin:
		return pin(s.Text)
	case Loopback:
		return loopback()
	case Join:
		syscall.CloseOnExec(int(s.Number))
		_, err := syscall.Write(int(s.Number), []byte("0"))
		return err
	case Limit:
		return limit(int(s.Number), s.Second)
	case BecomeUser:
		return becomeUser(s.Number, s.Second)
	case DropCapabilities:
		return dropCapabilities(s.Number)
	case NoNewPrivileges:
		return call(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0)
	case Landlock:
		syscall.CloseOnExec(int(s.Number))
		return call(sysLandlockRestrictSelf, uintptr(s.Number), 0, 0)
	case Filter:
		return installFilter([]byte(s.Text))
	}
	return syscall.EINVAL
}

// call is a system call that concerns this thread alone.
func call(number, a, b, c uintptr) error {
	if _, _, errno := syscall.RawSyscall6(number, a, b, c, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// unshare makes namespaces. What is mounted in a new one stays there.
func unshare(flags uint64) error {
	if err := call(syscall.SYS_UNSHARE, uintptr(flags), 0, 0); err != nil || flags&syscall.CLONE_NEWNS == 0 {
		return err
	}
	return syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
}

func mapUser(uid, gid uint64) error {
	for _, f := range []struct{ path, text string }{
		{"/proc/self/setgroups", "deny"},
		{"/proc/self/uid_map", line(uid)},
		{"/proc/self/gid_map", line(gid)},
	} {
		if err := writeFile(f.path, f.text); err != nil {
			return err
		}
	}
	return nil
}

// line maps one id to itself.
func line(id uint64) string {
	text := strconv.FormatUint(id, 10)
	return text + " " + text + " 1"
}

func writeFile(path, text string) error {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	_, err = syscall.Write(fd, []byte(text))
	_ = syscall.Close(fd)
	return err
}

// mountAttr is struct mount_attr of mount_setattr(2).
type mountAttr struct{ set, clear, propagation, userns uint64 }

// readOnly binds path over itself. mount_setattr changes the one flag and leaves
// alone those that a user namespace must not clear.
func readOnly(path string) error {
	if err := syscall.Mount(path, path, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	attr := mountAttr{set: mountAttrReadOnly}
	_, _, errno := syscall.RawSyscall6(sysMountSetattr, atFDCWD, uintptr(unsafe.Pointer(name)), 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// cover puts an empty folder over a folder, and the null device over a file. Whoever
// stands in the folder stands in the empty one then.
func cover(path string) error {
	var stat syscall.Stat_t
	err := syscall.Lstat(path, &stat)
	switch {
	case err == syscall.ENOENT:
		return nil
	case err != nil:
		return err
	case stat.Mode&syscall.S_IFMT != syscall.S_IFDIR:
		return syscall.Mount("/dev/null", path, "", syscall.MS_BIND, "")
	}
	const flags = syscall.MS_RDONLY | syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	if err := syscall.Mount("openagent", path, "tmpfs", flags, "size=4k,nr_inodes=2,mode=555"); err != nil {
		return err
	}
	here, err := syscall.Getwd()
	if err != nil {
		return err
	}
	return syscall.Chdir(here)
}

// pin binds a folder over itself: what something is mounted on stays where it is.
func pin(path string) error {
	err := syscall.Mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
	if err == syscall.ENOENT {
		return nil
	}
	return err
}

// interfaceFlags is struct ifreq as far as SIOCSIFFLAGS reads it.
type interfaceFlags struct {
	name  [16]byte
	flags uint16
	_     [22]byte
}

func loopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	request := interfaceFlags{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	err = call(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	_ = syscall.Close(fd)
	return err
}

// limit lowers both the soft and the hard limit; what is lower already stays.
func limit(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: value, Max: value})
}

// becomeUser changes the user. The kernel forgets then what to send at the death of
// the parent.
func becomeUser(uid, gid uint64) error {
	var signal int32
	if err := call(syscall.SYS_PRCTL, syscall.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&signal)), 0); err != nil {
		return err
	}
	if err := call(syscall.SYS_SETGROUPS, 0, 0, 0); err != nil {
		return err
	}
	if err := call(syscall.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)); err != nil {
		return err
	}
	if err := call(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); err != nil {
		return err
	}
	return call(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(signal), 0)
}

// lastCapability is above all that a kernel has; it answers EINVAL past its own.
const lastCapability = 63

// dropCapabilities gives up all capabilities but those in keep, from the bounding
// and the ambient set too, so that no program brings one back.
func dropCapabilities(keep uint64) error {
	_ = call(syscall.SYS_PRCTL, prCapAmbient, prCapAmbientClearAll, 0) // kernels before 4.3 have none
	for c := uintptr(0); c <= lastCapability; c++ {
		if keep>>c&1 == 0 {
			err := call(syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, c, 0)
			if err != nil {
				break // past the last, or without CAP_SETPCAP; no_new_privs holds then
			}
		}
	}
	header := struct {
		version uint32
		pid     int32
	}{version: capVersion3}
	var sets [2]struct{ effective, permitted, inheritable uint32 }
	if err := call(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets[0])), 0); err != nil {
		return err
	}
	for i := range sets {
		bits := uint32(keep >> (32 * i))
		sets[i].effective &= bits
		sets[i].permitted &= bits
		sets[i].inheritable = 0
	}
	return call(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&sets[0])), 0)
}

// filterSize is that of one instruction, struct sock_filter.
const filterSize = 8

func installFilter(program []byte) error {
	if len(program) == 0 || len(program)%filterSize != 0 {
		return syscall.EINVAL
	}
	prog := struct {
		length uint16
		filter *byte
	}{uint16(len(program) / filterSize), &program[0]}
	return call(syscall.SYS_PRCTL, prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&prog)))
}

// What package syscall does not name; the numbers of newer calls are the same on
// all machines that we build for.
const (
	prSetSeccomp            = 22
	seccompModeFilter       = 2
	prSetNoNewPrivs         = 38
	prCapAmbient            = 47
	prCapAmbientClearAll    = 4
	capVersion3             = 0x20080522
	mountAttrReadOnly       = 1
	sysMountSetattr         = 442
	sysLandlockRestrictSelf = 446
	atFDCWD                 = ^uintptr(99) // -100
)

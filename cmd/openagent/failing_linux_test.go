package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are the system calls that can fail for want of room or by a broken
// disk, by the kind of work they do, with the argument that names the file: a
// descriptor, or a folder's descriptor with a path behind it.
var systemCalls = map[uint32]struct {
	kind string
	file int
	path bool
}{
	unix.SYS_OPENAT: {"open", 0, true}, unix.SYS_MKDIRAT: {"mkdir", 0, true}, unix.SYS_RENAMEAT: {"rename", 2, true},
	unix.SYS_RENAMEAT2: {"rename", 2, true}, unix.SYS_READ: {"read", 0, false}, unix.SYS_PREAD64: {"read", 0, false},
	unix.SYS_WRITE: {"write", 0, false}, unix.SYS_PWRITE64: {"write", 0, false}, unix.SYS_COPY_FILE_RANGE: {"write", 2, false},
	unix.SYS_SENDFILE: {"write", 0, false}, unix.SYS_FTRUNCATE: {"write", 0, false}, unix.SYS_FSYNC: {"sync", 0, false},
	unix.SYS_FDATASYNC: {"sync", 0, false}, unix.SYS_GETDENTS64: {"getdents", 0, false},
	unix.SYS_NEWFSTATAT: {"stat", 0, true}, unix.SYS_FSTAT: {"stat", 0, false},
}

// failing makes one system call fail of a process and all that it starts. The
// kernel asks about each call and does not know who answers, so nothing of the
// program is other than it is for users.
type failing struct {
	kind  string
	nth   int
	below []string // only calls about files in these folders count
	pipes bool     // or about pipes, of the first process alone
	errno unix.Errno

	pid   int // of the first process
	count int
	what  string // the call that failed, empty when none did
}

// notification and answer are those of seccomp_unotify(2).
type notification struct {
	id         uint64
	pid, flags uint32
	nr         int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

type answer struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// askFirst is the role of a process that becomes another one, whose system
// calls are asked about through a descriptor that is sent to descriptor 3.
func askFirst() {
	runtime.LockOSThread()
	fd, err := listen()
	if err == nil {
		err = unix.Sendmsg(3, []byte{0}, unix.UnixRights(fd), nil, 0)
	}
	if err == nil {
		unix.CloseOnExec(3)
		unix.CloseOnExec(fd)
		os.Unsetenv(roleVariable)
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(77)
}

// listen has this thread ask before each of the system calls.
func listen() (int, error) {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}} // the number of the call
	for nr := range systemCalls {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: nr, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, fmt.Errorf("seccomp: %w", errno)
	}
	return int(fd), nil
}

// start starts cmd, and answers until all its processes have ended or end is
// called.
func (f *failing) start(t *testing.T, cmd *exec.Cmd) (end func()) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "listener")
	defer unix.Close(pair[0])
	cmd.Args = append([]string{os.Args[0]}, cmd.Args...)
	cmd.Path, cmd.Env, cmd.ExtraFiles = os.Args[0], append(cmd.Env, roleVariable+"=ask first"), []*os.File{theirs}
	if os.Geteuid() != 0 {
		// The program does not let its user look at it, but what is root in a
		// namespace is open to who made that.
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
		}
	}
	if err := cmd.Start(); errors.Is(err, unix.EPERM) {
		t.Skip("no namespace can be made here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	f.pid = cmd.Process.Pid
	_ = theirs.Close()
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), rights, 0)
	messages, parseErr := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || parseErr != nil || len(messages) == 0 {
		_ = cmd.Wait()
		t.Skipf("the kernel does not ask about system calls here: %v\n%s", err, cmd.Stderr)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	ended, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer unix.Close(fds[0]) // whoever is left may go on, its calls fail
		for f.next(fds[0], stop) {
		}
	}()
	return func() { close(stop); <-ended }
}

// next answers once; false when nobody is left who asks.
func (f *failing) next(fd int, stop <-chan struct{}) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(poll, 20); n == 0 || err != nil {
		select {
		case <-stop:
			return false
		default:
			return err == nil || errors.Is(err, unix.EINTR)
		}
	}
	var n notification
	if poll[0].Revents&unix.POLLIN == 0 {
		return false
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return errno == unix.EINTR || errno == unix.ENOENT
	}
	a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	name := f.counts(n)
	if name != "" {
		f.count++
	}
	fails := name != "" && f.count == f.nth
	if fails {
		a.errno, a.flags = -int32(f.errno), 0
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	switch {
	case errno != 0 && name != "":
		f.count-- // a signal came first: the call comes again
	case fails:
		f.what = name
	}
	return true
}

// counts returns what a call is about, empty for one that does not count.
func (f *failing) counts(n notification) string {
	call := systemCalls[uint32(n.nr)]
	if call.kind != f.kind {
		return ""
	}
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.args[call.file])))
	if f.pipes {
		if _, err := os.Lstat(fmt.Sprintf("/proc/%d/task/%d", f.pid, n.pid)); err != nil || !strings.HasPrefix(name, "pipe:") {
			return ""
		}
		return call.kind + " " + name
	}
	if call.path {
		path := stringAt(n.pid, n.args[call.file+1])
		if int32(n.args[call.file]) == unix.AT_FDCWD {
			name, _ = os.Readlink(fmt.Sprintf("/proc/%d/cwd", n.pid))
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(name, path)
		}
		name = path
	}
	for _, dir := range f.below {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			return call.kind + " " + name
		}
	}
	return ""
}

// stringAt reads a path in the memory of a thread.
func stringAt(pid uint32, at uint64) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer mem.Close()
	text := make([]byte, unix.PathMax)
	n, _ := mem.ReadAt(text, int64(at))
	path, _, _ := bytes.Cut(text[:n], []byte{0})
	return string(path)
}

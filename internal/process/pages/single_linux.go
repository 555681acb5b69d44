package pages

import (
	"runtime"
	"syscall"
	"unsafe"
)

// What linux/userfaultfd.h says.
const (
	userModeOnly  = 1
	apiVersion    = 0xaa
	wpAsync       = 1 << 15
	registerWP    = 1 << 1
	ioctlAPI      = 0xc018aa3f
	ioctlRegister = 0xc020aa00
)

// numbers has the system call by architecture; package syscall is older than the call,
// and golang.org/x/sys/unix, which has it, is set up later than this package should be.
var numbers = map[string]uintptr{"amd64": 323, "arm64": 282}

// Single has the kernel map each page of the program by itself from now on, without the
// fifteen around it, and reports whether it does: Linux can since 6.7, and where a
// container forbids the call, nothing changes.
//
// The kernel leaves neighbours alone where it has to note writes, which is asked for
// here. Nobody writes to code and constants, so nothing else comes of it. It lasts as
// long as the file descriptor is open, which no other program gets.
func Single() bool {
	var maps [1024]byte
	code, constants, ok := program(read("/proc/self/maps", &maps))
	if !ok {
		return false
	}
	number := numbers[runtime.GOARCH]
	if number == 0 {
		return false
	}
	fd, _, errno := syscall.Syscall(number, syscall.O_CLOEXEC|userModeOnly, 0, 0)
	if errno != 0 {
		return false
	}
	api := [3]uint64{apiVersion, wpAsync}
	if control(fd, ioctlAPI, unsafe.Pointer(&api)) && code.register(fd) && constants.register(fd) {
		return true
	}
	_ = syscall.Close(int(fd))
	return false
}

// register has the kernel note writes to the area.
func (a area) register(fd uintptr) bool {
	request := [4]uint64{uint64(a.from), uint64(a.to - a.from), registerWP}
	return control(fd, ioctlRegister, unsafe.Pointer(&request))
}

func control(fd, request uintptr, argument unsafe.Pointer) bool {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	return errno == 0
}

package pages

import (
	"bytes"
	"strconv"
	"syscall"
)

// Return unmaps the code and the constants of the program, and reports whether it
// did. It leaves them where the process is traced: breakpoints are changes of the
// code that its file does not have.
func Return() bool {
	var status, maps [1024]byte // the lines looked for are among the first
	if !bytes.Contains(read("/proc/self/status", &status), []byte("\nTracerPid:\t0\n")) {
		return false
	}
	code, constants, ok := program(read("/proc/self/maps", &maps))
	return ok && code.drop() && constants.drop()
}

// area is a mapping in memory, from its first byte to behind its last.
type area struct{ from, to uintptr }

// program returns where the kernel's list of mappings has code and constants of a
// program that Go linked: they are the first two. What a dynamic linker has set up
// begins otherwise, and is not touched: its constants differ from those of the file.
func program(maps []byte) (code, constants area, ok bool) {
	first, rest, _ := bytes.Cut(maps, []byte("\n"))
	second, rest, _ := bytes.Cut(rest, []byte("\n"))
	third, _, _ := bytes.Cut(rest, []byte("\n"))
	code, executable := mapping(first, "r-xp")
	constants, constant := mapping(second, "r--p")
	_, variable := mapping(third, "rw-p")
	return code, constants, executable && constant && variable
}

// mapping reads one line of the list, and reports whether it has the rights.
func mapping(line []byte, rights string) (a area, ok bool) {
	from, rest, _ := bytes.Cut(line, []byte("-"))
	to, rest, _ := bytes.Cut(rest, []byte(" "))
	f, err := strconv.ParseUint(string(from), 16, 64)
	t, err2 := strconv.ParseUint(string(to), 16, 64)
	return area{uintptr(f), uintptr(t)}, err == nil && err2 == nil && bytes.HasPrefix(rest, []byte(rights+" "))
}

func (a area) drop() bool {
	_, _, errno := syscall.Syscall(syscall.SYS_MADVISE, a.from, a.to-a.from, syscall.MADV_DONTNEED)
	return errno == 0
}

// read returns the begin of a file of the kernel, as much as fits.
func read(name string, into *[1024]byte) []byte {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	n, err := syscall.Read(fd, into[:])
	if err != nil {
		return nil
	}
	return into[:n]
}

package job

import (
	"os"
	"syscall"
)

// noFollow is nothing: what an opened link led to shows by being another file.
const noFollow = 0

// links counts the names of an open file.
func links(f *os.File) (uint64, error) {
	var info syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info)
	return uint64(info.NumberOfLinks), err
}

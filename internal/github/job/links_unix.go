//go:build unix

package job

import (
	"fmt"
	"os"
	"syscall"
)

// noFollow opens neither what a link names nor waits for the other end of a
// pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// links counts the names of an open file.
func links(f *os.File) (uint64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("%s: the number of names is not known", f.Name())
	}
	return uint64(stat.Nlink), nil
}

package workspace

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// enterable returns a path by which a child enters the open folder, and no
// other: children inherit the descriptor until they become another program.
func enterable(dir *os.File) (string, error) {
	opened, err := dir.Stat()
	if err != nil {
		return "", err
	}
	link := fmt.Sprintf("/proc/self/fd/%d", dir.Fd())
	if same, err := os.Stat(link); err == nil && os.SameFile(opened, same) {
		return link, nil
	}
	return pathOf(dir) // there is no /proc
}

// skipHole moves a file of which at bytes were read over the hole that begins
// there, if one does, and returns its size.
func skipHole(r io.Reader, at int64) int64 {
	file, ok := r.(*os.File)
	if !ok {
		return 0
	}
	data, err := file.Seek(at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) { // no data follows
		data, err = file.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return 0 // not known here; the position is as it was
	}
	return data - at
}

package workspace

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

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

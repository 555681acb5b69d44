package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// settle makes the file end with a whole line and returns its size. What a
// writer that died left of a line is moved aside; a whole record that only
// lacks its end gets it. The caller holds the lock.
func (s *Session) settle(ctx context.Context, f *os.File) (size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size = info.Size()
	from, err := lineStart(f, size)
	if err != nil || from == size {
		return size, err
	}
	r := newReader(ctx)
	r.reset(io.NewSectionReader(f, from, size-from), from)
	switch _, _, err := r.next(); {
	case err == nil:
		_, err := f.Write([]byte{'\n'})
		return size + 1, err
	case !errors.Is(err, errBroken):
		return size, err
	}
	aside, err := s.moveAside(tornKind, io.NewSectionReader(f, from, size-from))
	if err != nil {
		return size, fmt.Errorf("move torn last line aside: %w", err)
	}
	// The file is cut by name: not every system can cut one that is open for
	// appending.
	if err := os.Truncate(s.path(suffix), from); err != nil {
		return size, fmt.Errorf("cut torn last line off: %w", err)
	}
	s.opts.Log.Warn("the last line of a session was torn and is moved aside",
		"session", s.name, "offset", from, "bytes", size-from, "file", aside)
	return from, nil
}

// lineStart returns the offset behind the last line feed of a file.
func lineStart(f io.ReaderAt, size int64) (int64, error) {
	// Nearly always the file ends with one.
	for step := int64(1); size > 0; step = readerBytes {
		b := make([]byte, min(step, size))
		if _, err := f.ReadAt(b, size-int64(len(b))); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return size - int64(len(b)) + int64(i) + 1, nil
		}
		size -= int64(len(b))
	}
	return 0, nil
}

package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
)

// tailBytes is how much of a file's end is compared.
const tailBytes = 4 << 10

// state is what the session's file was when this run last read or wrote it.
// What a command of the run writes there would pass for talk in a later run.
type state struct {
	info os.FileInfo
	size int64
	tail []byte
}

// readTail reads the end of the first size bytes of a file, and less of it if
// the file is shorter.
func readTail(f *os.File, size int64) ([]byte, error) {
	tail := make([]byte, min(size, tailBytes))
	n, err := f.ReadAt(tail, size-int64(len(tail)))
	if err == io.EOF {
		err = nil
	}
	return tail[:n], err
}

// append adds what was written to the end of the file.
func (s *state) append(text []byte) {
	s.size += int64(len(text))
	s.tail = append(s.tail, text...)
	s.tail = slices.Delete(s.tail, 0, max(0, len(s.tail)-tailBytes))
}

// Verify reports whether the session's files are as this run left them. Where
// they are not, what is not the run's is moved aside, so that no later run
// believes it, and the session is used no more.
func (s *Session) Verify(ctx context.Context) (bool, error) {
	if s.foreign {
		return false, nil
	}
	err := locked(ctx, s.opts.Dir, func() error { return errors.Join(s.verify(), s.restoreMeta()) })
	if err != nil {
		err = fmt.Errorf("verify session %s: %w", s.name, err)
	}
	return !s.foreign, err
}

// verify is Verify of the file with the lines. The caller holds the lock.
func (s *Session) verify() error {
	path := s.path(linesKind)
	info, err := os.Lstat(path)
	same := err == nil && os.SameFile(info, s.seen.info)
	if same {
		var tail []byte
		tail, err = readTail(s.file, s.seen.size)
		same = err == nil && bytes.Equal(tail, s.seen.tail)
	}
	if same && info.Size() == s.seen.size {
		return nil
	}
	s.foreign = true
	aside := s.unused(foreignKind)
	if same {
		// By name: not every system can cut a file that is open for appending.
		err = errors.Join(copyEnd(s.file, s.seen.size, aside), os.Truncate(path, s.seen.size))
	} else {
		_ = s.file.Close() // not every system can rename an open file
		if err = os.Rename(path, aside); errors.Is(err, fs.ErrNotExist) {
			aside, err = "", nil
		}
	}
	if err != nil {
		return fmt.Errorf("move aside what another wrote: %w", err)
	}
	s.opts.Log.Warn("a session holds what this run did not write; that is moved aside, and the session is not used any more",
		"session", s.name, "file", aside)
	return nil
}

// load reads what the session's files are, and makes the one with the lines if
// there is none. The caller holds the lock.
func (s *Session) load(ctx context.Context) error {
	path := s.path(linesKind)
	if err := checkRegular(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, fileMode)
	if err != nil {
		return err
	}
	s.file = f
	if s.seen.size, err = s.repair(ctx, f); err != nil {
		return err
	}
	if s.seen.info, err = f.Stat(); err != nil {
		return err
	}
	s.seen.tail, err = readTail(f, s.seen.size)
	s.loadMeta()
	return err
}

// repair makes the file end with a whole line and returns its size. What a
// writer that died left of a line is moved aside; a whole record that only lacks
// its end gets it.
func (s *Session) repair(ctx context.Context, f *os.File) (size int64, err error) {
	size, err = f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return size, err
	}
	end := make([]byte, 1)
	if _, err := f.ReadAt(end, size-1); err != nil || end[0] == '\n' {
		return size, err
	}
	var last Record
	if err := readLines(ctx, f.Name(), 0, size, func(rec *Record) { last = *rec }); err != nil {
		return size, err
	}
	if !last.broken {
		_, err := f.Write([]byte{'\n'})
		return size + 1, err
	}
	aside := s.unused(tornKind)
	if err = copyEnd(f, last.Offset, aside); err == nil {
		err = os.Truncate(f.Name(), last.Offset)
	}
	if err != nil {
		return size, fmt.Errorf("move torn last line aside: %w", err)
	}
	s.opts.Log.Warn("the last line of a session was torn and is moved aside",
		"session", s.name, "offset", last.Offset, "bytes", size-last.Offset, "file", aside)
	return last.Offset, nil
}

// copyEnd copies what stands in f from an offset on, maxLine bytes of it at
// most, to a new file.
func copyEnd(f *os.File, offset int64, path string) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.NewSectionReader(f, offset, maxLine))
	return errors.Join(err, to.Sync(), to.Close())
}

// unused returns the path of a file of that kind that does not exist.
func (s *Session) unused(kind string) string {
	for n := 1; ; n++ {
		path := s.path(kind + strconv.Itoa(n))
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

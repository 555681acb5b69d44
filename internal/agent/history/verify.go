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
// believes it, and the session is used no more. What cannot be read is an error and
// no change, and stays where it is.
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	same := err == nil && os.SameFile(info, s.seen.info)
	if same {
		tail, err := readTail(s.file, s.seen.size)
		if err != nil {
			return err
		}
		same = bytes.Equal(tail, s.seen.tail)
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
	var err error
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, fileMode); err != nil {
		return err
	}
	err = s.look()
	if err == nil && s.seen.size > 0 && !bytes.HasSuffix(s.seen.tail, []byte{'\n'}) {
		err = errors.Join(s.repair(ctx), s.look())
	}
	return errors.Join(err, s.loadMeta())
}

// look notes what the file is now.
func (s *Session) look() (err error) {
	if s.seen.info, err = s.file.Stat(); err != nil {
		return err
	}
	s.seen.size = s.seen.info.Size()
	s.seen.tail, err = readTail(s.file, s.seen.size)
	return err
}

// repair makes the file end with a whole line. What a writer that died left of a line
// is moved aside; a whole record that only lacks its end gets it.
func (s *Session) repair(ctx context.Context) error {
	var last Record
	if err := readLines(ctx, s.file.Name(), 0, s.seen.size, func(rec *Record) { last = *rec }); err != nil {
		return err
	}
	if !last.broken {
		_, err := s.file.Write([]byte{'\n'})
		return err
	}
	aside := s.unused(tornKind)
	err := copyEnd(s.file, last.Offset, aside)
	if err == nil {
		err = os.Truncate(s.file.Name(), last.Offset)
	}
	if err != nil {
		return fmt.Errorf("move torn last line aside: %w", err)
	}
	s.opts.Log.Warn("the last line of a session was torn and is moved aside",
		"session", s.name, "offset", last.Offset, "bytes", s.seen.size-last.Offset, "file", aside)
	return nil
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

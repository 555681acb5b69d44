package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// tailBytes is how much of a file's end is compared.
const tailBytes = 4 << 10

// state is what the session's file was when this run last read or wrote it.
// What a command of the run writes there would pass for talk in a later run.
type state struct {
	info os.FileInfo
	size int64
	tail [sha256.Size]byte
}

// look returns the state of the first size bytes of a file.
func look(f *os.File, size int64) (state, error) {
	info, err := f.Stat()
	if err != nil {
		return state{}, err
	}
	tail := make([]byte, min(size, tailBytes))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return state{}, err
	}
	return state{info, size, sha256.Sum256(tail)}, nil
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
	var now state
	path, aside := s.path(linesKind), s.unused(foreignKind)
	f, err := open(path)
	if err == nil {
		defer f.Close()
		now, err = look(f, s.seen.size)
	}
	switch {
	case err != nil, !os.SameFile(now.info, s.seen.info), now.tail != s.seen.tail:
		if err = os.Rename(path, aside); errors.Is(err, fs.ErrNotExist) {
			aside, err = "", nil
		}
	case now.info.Size() > s.seen.size:
		// By name: not every system can cut a file that is open for appending.
		err = errors.Join(copyEnd(f, s.seen.size, aside), os.Truncate(path, s.seen.size))
	default:
		return nil
	}
	s.foreign = true
	if err != nil {
		return fmt.Errorf("move aside what another wrote: %w", err)
	}
	s.opts.Log.Warn("a session holds what this run did not write; that is moved aside, and the session is not used any more",
		"session", s.name, "file", aside)
	return nil
}

// load reads what the session's files are, and makes the one with the lines if
// there is none. The caller holds the lock.
func (s *Session) load(ctx context.Context) (err error) {
	path := s.path(linesKind)
	if err := checkRegular(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, fileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := s.repair(ctx, f)
	if err != nil {
		return err
	}
	s.seen, err = look(f, size)
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
	var last record
	if err := readLines(ctx, f.Name(), 0, size, func(rec *record) { last = *rec }); err != nil {
		return size, err
	}
	if !last.broken {
		_, err := f.Write([]byte{'\n'})
		return size + 1, err
	}
	aside := s.unused(tornKind)
	if err = copyEnd(f, last.offset, aside); err == nil {
		err = os.Truncate(f.Name(), last.offset)
	}
	if err != nil {
		return size, fmt.Errorf("move torn last line aside: %w", err)
	}
	s.opts.Log.Warn("the last line of a session was torn and is moved aside",
		"session", s.name, "offset", last.offset, "bytes", size-last.offset, "file", aside)
	return last.offset, nil
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

package history

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// tailBytes is how much of a file's end is compared.
const tailBytes = 4 << 10

// state is what the session's file was when this run looked at it last. What a
// command of the run writes there would be taken for talk by a later run.
type state struct {
	info os.FileInfo // nil before the first look
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

// begins reports whether the file still begins with what it was.
func (s state) begins(f *os.File) (bool, error) {
	now, err := look(f, s.size)
	return err == nil && os.SameFile(s.info, now.info) && now.info.Size() >= s.size && now.tail == s.tail, err
}

// Verify reports whether the session's files are as this run left them. Where
// they are not, what is not the run's is moved aside, so that no later run
// believes it, and the session is not used any more.
func (s *Session) Verify(ctx context.Context) (bool, error) {
	if s.foreign || s.seen.info == nil {
		return !s.foreign, nil
	}
	unlock, err := lock(ctx, s.opts.Dir)
	if err != nil {
		return true, err
	}
	same, err := s.unchanged()
	if err == nil && !same {
		err = s.disown()
	}
	err = errors.Join(err, s.restoreMeta(), unlock())
	if err != nil {
		err = fmt.Errorf("verify session %s: %w", s.name, err)
	}
	return !s.foreign, err
}

// unchanged reports whether the session's file is as this run left it. The
// caller holds the lock.
func (s *Session) unchanged() (bool, error) {
	if s.seen.info == nil {
		return true, nil
	}
	f, err := open(s.opts.Dir, s.name)
	if err != nil {
		return false, nil // it is gone, or no file that can be read
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() != s.seen.size {
		return false, err
	}
	return s.seen.begins(f)
}

// disown moves what is not this run's aside and ends the use of the session.
// The caller holds the lock.
func (s *Session) disown() error {
	s.foreign = true
	aside, err := s.moveForeign()
	if err != nil {
		return fmt.Errorf("move aside what another wrote: %w", err)
	}
	s.opts.Log.Warn("a session holds what this run did not write; that is moved aside, and the session is not used any more",
		"session", s.name, "file", aside)
	return nil
}

// moveForeign moves what follows the run's own lines aside; the whole file when
// those are not there any more.
func (s *Session) moveForeign() (aside string, err error) {
	if f, err := open(s.opts.Dir, s.name); err == nil {
		defer f.Close()
		if ours, err := s.seen.begins(f); err == nil && ours {
			aside, err = s.moveAside(foreignKind, io.NewSectionReader(f, s.seen.size, maxForeign))
			return aside, errors.Join(err, os.Truncate(s.path(suffix), s.seen.size))
		}
	}
	for n := 1; ; n++ {
		aside = s.path(foreignKind + strconv.Itoa(n))
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		err := os.Rename(s.path(suffix), aside)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil // it was removed
		}
		return aside, err
	}
}

// Files that belong to a session, by the suffix behind its name. A number
// follows that of what was moved aside.
const (
	tornKind    = suffix + ".torn-"    // half a line of a writer that died
	foreignKind = suffix + ".foreign-" // what no run wrote
	leaseKind   = ".lease"             // held by the run that uses the session
)

// maxForeign bounds what is copied of a file that a command filled.
const maxForeign = 1 << 20

// moveAside copies what src has into a new file of that kind beside the
// session's and returns its path.
func (s *Session) moveAside(kind string, src io.Reader) (path string, err error) {
	for n := 1; ; n++ {
		path = s.path(kind + strconv.Itoa(n))
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(f, src)
		return path, errors.Join(err, f.Sync(), f.Close())
	}
}

// Close gives the session back to other runs; a passing one is removed with all
// that belongs to it.
func (s *Session) Close() error {
	var err error
	if s.opts.Passing {
		err = s.removePassing()
	}
	if s.lease == nil {
		return err
	}
	err = errors.Join(err, s.lease())
	if s.opts.Session == "" { // nobody else waits for it
		err = errors.Join(err, os.Remove(s.path(leaseKind)))
	}
	return err
}

func (s *Session) removePassing() (err error) {
	unlock, err := lock(context.Background(), s.opts.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := remove(s.opts.Dir, s.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove session %s: %w", s.name, err)
	}
	return nil
}

// remove removes the files of a session. The one with its lines goes last,
// since the session exists as long as that file does.
func remove(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var all error
	for _, e := range entries {
		if belongs(e.Name(), name) {
			all = errors.Join(all, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if all != nil {
		return all
	}
	return os.Remove(filepath.Join(dir, name+suffix))
}

package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/openagent-ci/openagent/internal/atomicfile"
)

// Summary is what one session holds.
type Summary struct {
	Name  string
	Bytes int64
	// Lines counts the records, Skipped the lines that are none.
	Lines, Skipped int64
	// First and Last are the times of the oldest and the newest record; zero
	// when there is none.
	First, Last time.Time
}

// List returns what the sessions of a folder hold, sorted by name.
func List(ctx context.Context, dir string) ([]Summary, error) {
	names, err := sessions(dir)
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(names))
	for _, name := range names {
		s, err := summarise(ctx, dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("read session %s: %w", name, err)
		}
		list = append(list, s)
	}
	return list, nil
}

func summarise(ctx context.Context, dir, name string) (Summary, error) {
	s := Summary{Name: name}
	f, err := open(filepath.Join(dir, name+linesKind))
	if err != nil {
		return s, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	err = newReader().each(ctx, f, 0, func(rec record) error {
		if rec.broken {
			s.Skipped++
			return nil
		}
		s.Lines++
		ts := rec.ts.UTC()
		if s.First.IsZero() || ts.Before(s.First) {
			s.First = ts
		}
		if ts.After(s.Last) {
			s.Last = ts
		}
		return nil
	})
	return s, err
}

// Prune removes the sessions of a folder whose newest record is older than a
// time and that no run uses, with all that belongs to them, and returns their
// names. A session without any record is as old as its file.
func Prune(ctx context.Context, dir string, before time.Time) (removed []string, err error) {
	return prune(ctx, dir, before, func(string) bool { return true })
}

// prune is Prune of the sessions that may be old.
func prune(ctx context.Context, dir string, before time.Time, old func(name string) bool) (removed []string, err error) {
	names, err := sessions(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !old(name) {
			continue
		}
		// The lock is held from the look at the session to its end, so that no
		// line is lost that is written between.
		err := locked(ctx, dir, func() error {
			gone, err := pruneOne(ctx, dir, name, before)
			if gone {
				removed = append(removed, name)
			}
			return err
		})
		if err != nil {
			return removed, fmt.Errorf("remove session %s: %w", name, err)
		}
	}
	return removed, nil
}

// pruneOne removes a session if it is old and no run uses it.
func pruneOne(ctx context.Context, dir, name string, before time.Time) (gone bool, err error) {
	s, err := summarise(ctx, dir, name)
	if err != nil {
		return false, err
	}
	if s.Lines == 0 {
		info, err := os.Stat(filepath.Join(dir, name+linesKind))
		if err != nil {
			return false, err
		}
		s.Last = info.ModTime()
	}
	if !s.Last.Before(before) {
		return false, nil
	}
	lease := flock.New(filepath.Join(dir, name+leaseKind), flock.SetPermissions(fileMode))
	if free, err := lease.TryLock(); err != nil || !free {
		return false, err
	}
	err = errors.Join(remove(dir, name), lease.Close())
	return err == nil, errors.Join(err, os.Remove(lease.Path()))
}

// remove removes the files of a session. The one with its lines goes last,
// since the session exists as long as that file does.
func remove(dir, name string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if kind, ok := strings.CutPrefix(e.Name(), name); ok && belonging.MatchString(kind) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, name+linesKind))
}

// belonging matches what follows a session's name in the names of its files, of
// those beside the lines.
var belonging = regexp.MustCompile(`^(\.jsonl\.(torn|foreign)-[0-9]+|\.meta\.json)$`)

// dropEvery is how often old sessions are looked for.
const dropEvery = time.Hour

// droppedName is an empty file whose time is that of the last look.
const droppedName = ".dropped"

// DropOld removes, like Prune, the sessions that nothing was added to for a
// time, but not the one of a name. It looks at most once in dropEvery, and only
// into files that were not written since, so that a run may call it at its start.
func DropOld(ctx context.Context, dir string, keep time.Duration, but string) (removed []string, err error) {
	now := time.Now()
	mark := filepath.Join(dir, droppedName)
	if info, err := os.Lstat(mark); err == nil && now.Sub(info.ModTime()).Abs() < dropEvery {
		return nil, nil
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := atomicfile.WriteIn(dir, droppedName, nil, fileMode); err != nil {
		return nil, fmt.Errorf("note the look for old sessions: %w", err)
	}
	before := now.Add(-keep)
	return prune(ctx, dir, before, func(name string) bool {
		info, err := os.Lstat(filepath.Join(dir, name+linesKind))
		return name != but && err == nil && info.ModTime().Before(before)
	})
}

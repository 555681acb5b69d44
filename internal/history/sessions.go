package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
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
	f, err := open(dir, name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	err = eachLine(newReader(ctx), f, nil, func(h head, err error) error {
		if err != nil {
			s.Skipped++
			return nil
		}
		s.Lines++
		ts := h.ts.UTC()
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
// time, with all that belongs to them, and returns their names. A session
// without any record is as old as its file.
func Prune(ctx context.Context, dir string, before time.Time) (removed []string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names, err := sessions(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		gone, err := pruneOne(ctx, dir, name, before)
		if err != nil {
			return removed, fmt.Errorf("remove session %s: %w", name, err)
		}
		if gone {
			removed = append(removed, name)
		}
	}
	return removed, nil
}

// pruneOne removes a session if it is old. It holds the lock from the look at
// the session to its end, so that no line is lost that was written between.
func pruneOne(ctx context.Context, dir, name string, before time.Time) (gone bool, err error) {
	unlock, err := lock(ctx, dir)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s, err := summarise(ctx, dir, name)
	if err != nil {
		return false, err
	}
	if s.Last.IsZero() {
		info, err := os.Stat(filepath.Join(dir, name+suffix))
		if err != nil {
			return false, err
		}
		s.Last = info.ModTime()
	}
	if !s.Last.Before(before) {
		return false, nil
	}
	return true, remove(dir, name)
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
		number, torn := strings.CutPrefix(e.Name(), name+tornKind)
		_, err := strconv.Atoi(number)
		if e.Name() == name+metaKind || torn && err == nil {
			all = errors.Join(all, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if all != nil {
		return all
	}
	return os.Remove(filepath.Join(dir, name+suffix))
}

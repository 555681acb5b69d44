package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// compactionOf returns what stands where the name of the table would be in the name of
// a file in addingDir that says: once the last file of the set is there, all others of
// its day go.
func compactionOf(results bool) string { return fmt.Sprint("compact-results-", results) }

// Compact rewrites the files of each day, or of the given one alone, into one for each
// table, and returns how many files there were and are of these days.
func Compact(ctx context.Context, place process.Env, name, date string) (before, after int, err error) {
	a, err := Open(place.Path(name), name)
	if err != nil {
		return 0, 0, err
	}
	defer a.Close()
	err = a.locked(ctx, func() error {
		if err := a.clean(); err != nil {
			return err
		}
		for _, t := range slices.Backward(tables) {
			days, err := a.folder(t.name)
			if err != nil {
				return err
			}
			for _, day := range days {
				m := partitionName.FindStringSubmatch(day)
				if m == nil || date != "" && date != m[1] || !t.isLast() {
					continue
				}
				was, is, err := a.compactDay(ctx, t, m[1])
				if before, after = before+was, after+is; err != nil {
					return err
				}
			}
		}
		return nil
	})
	return before, after, err
}

// compactDay rewrites the files of a day that belong to runs, or to scenarios, by the
// rules of an add. A file that has all keys of the day stays.
func (a *Archive) compactDay(ctx context.Context, last table, date string) (before, after int, err error) {
	files, err := a.day(date, last.results())
	if err != nil {
		return 0, 0, err
	}
	before = len(files)
	var set []source
	for _, f := range files {
		if f.isLast() {
			of, err := a.keys(f)
			if err != nil {
				return before, before, fmt.Errorf("read archive: %w", err)
			}
			set = append(set, of...)
		}
	}
	if len(set) == 0 {
		return before, before, nil
	}
	name, stays := setName(set), map[string]bool{}
	for _, f := range files {
		stays[f.name] = stays[f.name] || f.set == name
	}
	_ = a.root.Remove(path.Join(keysDir, last.name+"."+date)) // it has the old sets
	err = a.writeSet(ctx, set, func(out *rows) error {
		f, err := a.root.Create(path.Join(addingDir, name+"."+date+"."+compactionOf(last.results())))
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		for _, from := range files {
			if err = cmp.Or(err, context.Cause(ctx)); err == nil && !stays[from.name] {
				err = a.reading(from, func(f *opened) error { return out.copy(from.table, f) })
			}
		}
		return err
	})
	if err == nil {
		err = a.clean()
	}
	files, dayErr := a.day(date, last.results())
	return before, len(files), errors.Join(err, dayErr)
}

package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/openagent-ci/openagent/internal/platform/process"
)

// compacting is where the name of the table would be in the name of a file in addingDir
// that says: once the last file of the set is there, all others of its day go.
const compacting = "compact"

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
		for _, last := range []string{tableRuns, tableScenarios} {
			days, err := a.folder(last)
			if err != nil {
				return err
			}
			for _, day := range days {
				m := partitionName.FindStringSubmatch(day.Name())
				if m == nil || date != "" && date != m[1] {
					continue
				}
				was, is, err := a.compactDay(ctx, last, m[1])
				if before, after = before+was, after+is; err != nil {
					return err
				}
			}
		}
		return nil
	})
	return before, after, err
}

// compactDay rewrites the files of a day that belong to runs, or to scenarios.
func (a *Archive) compactDay(ctx context.Context, last, date string) (before, after int, err error) {
	before, err = a.countDay(last, date)
	files, filesErr := a.filesOf(last, date, "")
	if err = errors.Join(err, filesErr); err != nil || len(files) < 2 {
		return before, before, err
	}
	var set []source
	for _, name := range files {
		err := a.keys(name, keyOf(last), func(key string) {
			if len(set) == 0 || set[len(set)-1].key != key {
				set = append(set, source{key: key, date: date, results: last == tableScenarios})
			}
		})
		if err != nil {
			return before, before, fmt.Errorf("read archive: %w", named(name, err))
		}
	}
	err = a.writeSet(ctx, set, func(out *rows) error {
		f, err := a.root.Create(path.Join(addingDir, setName(set)+"."+date+"."+compacting))
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil || last == tableScenarios {
			return errors.Join(err, copyRows(ctx, a, &out.scenarios, tableScenarios, date))
		}
		return errors.Join(copyRows(ctx, a, &out.steps, tableSteps, date), copyRows(ctx, a, &out.toolCalls, tableToolCalls, date),
			copyRows(ctx, a, &out.findings, tableFindings, date), copyRows(ctx, a, &out.events, tableEvents, date),
			copyRows(ctx, a, &out.runs, tableRuns, date))
	})
	if err == nil {
		_ = a.root.Remove(path.Join(keysDir, last+"."+date)) // it has the old sets
		a.list(last, date, set)
		err = a.clean()
	}
	after, countErr := a.countDay(last, date)
	return before, after, errors.Join(err, countErr)
}

// keyOf returns the column of keys of a table.
func keyOf(name string) string {
	for _, t := range tables {
		if t.name == name {
			return t.key
		}
	}
	return ""
}

// copyRows adds the rows of all files of a day to a table.
func copyRows[T any](ctx context.Context, a *Archive, out *sheet[T], table, date string) error {
	files, err := a.filesOf(table, date, "")
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := a.open(name)
		if err == nil {
			err = errors.Join(safely(func() error { return copyFile(ctx, parquet.NewGenericReader[T](f.File), out) }), f.close())
		}
		if err != nil {
			return fmt.Errorf("read archive: %w", named(name, err))
		}
	}
	return nil
}

func copyFile[T any](ctx context.Context, in *parquet.GenericReader[T], out *sheet[T]) error {
	defer in.Close()
	for read := make([]T, batch); ; {
		clear(read)
		n, err := in.Read(read)
		for _, row := range read[:n] {
			if err := out.add(row); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// ofDay calls do with the files of a day that belong to the table last, runs or
// scenarios; those of that table come first.
func (a *Archive) ofDay(last, date string, do func(name string) error) error {
	for i := len(tables) - 1; i >= 0; i-- {
		if (tables[i].name == tableScenarios) != (last == tableScenarios) {
			continue
		}
		files, err := a.filesOf(tables[i].name, date, "")
		if err != nil {
			return err
		}
		for _, name := range files {
			if err := do(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *Archive) countDay(last, date string) (n int, err error) {
	err = a.ofDay(last, date, func(string) error { n++; return nil })
	return n, err
}

// removeOld removes the files of a day that a whole set replaces.
func (a *Archive) removeOld(set, date string) error {
	last, err := a.replacedBy(set, date)
	if last == "" || err != nil {
		return err
	}
	return a.ofDay(last, date, func(name string) error {
		if strings.HasPrefix(path.Base(name), set+"-") {
			return nil
		}
		if err := a.root.Remove(name); err != nil {
			return fmt.Errorf("remove what was compacted: %w", named(name, err))
		}
		return nil
	})
}

// replacedBy returns the table, runs or scenarios, of which a set has a file; empty for
// none.
func (a *Archive) replacedBy(set, date string) (string, error) {
	for _, last := range []string{tableRuns, tableScenarios} {
		files, err := a.filesOf(last, date, set)
		if err != nil || len(files) > 0 {
			return last, err
		}
	}
	return "", nil
}

package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// present returns which of the keys of a set, which is of one day, are in the archive.
func (a *Archive) present(ctx context.Context, set []source) (map[string]bool, error) {
	wanted, present := map[string]bool{}, map[string]bool{}
	for _, s := range set {
		wanted[s.key] = true
	}
	files, err := a.files(lastOf(set), set[0].date)
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		of, err := a.keys(f)
		if err != nil {
			return nil, fmt.Errorf("read archive: %w", err)
		}
		for _, s := range of {
			if wanted[s.key] {
				present[s.key] = true
			}
		}
	}
	return present, nil
}

// lastOf returns the table whose file comes last of a set.
func lastOf(set []source) table {
	if set[0].results {
		return tableOf(tableScenarios)
	}
	return tableOf(tableRuns)
}

// errForeign reports a file that the library cannot read. What it says of one that is
// hostile can be a panic.
var errForeign = errors.New("it is no file of an archive, or torn")

// opened is a file of a table that is read.
type opened struct{ *parquet.File }

// reading calls do with a file, and returns what goes wrong with the name of the file.
func (a *Archive) reading(from stored, do func(*opened) error) error {
	f, err := a.openFile(from.path())
	if err == nil {
		err = errors.Join(safely(func() error {
			info, err := f.Stat()
			if err != nil {
				return err
			}
			file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
			if err != nil {
				return fmt.Errorf("%w: %w", errForeign, err)
			}
			return do(&opened{file})
		}), f.Close())
	}
	if err != nil {
		return named(from.path(), err)
	}
	return nil
}

// safely calls do and returns what it panics with as an error.
func safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errForeign, p)
		}
	}()
	return do()
}

// keys returns the runs or results of which a file has rows. Those of the same results
// follow one another.
func (a *Archive) keys(f stored) (set []source, err error) {
	err = a.reading(f, func(o *opened) error {
		return o.keys(f.table, func(key string) {
			if n := len(set); n == 0 || set[n-1].key != key || !f.results() {
				set = append(set, source{key: key, date: f.date, results: f.results()})
			}
		})
	})
	return set, err
}

// keys calls each with the key of each row.
func (o *opened) keys(t table, each func(string)) error {
	leaf, ok := o.Schema().Lookup(t.key)
	if !ok {
		return fmt.Errorf("%w: it has no column %s", errForeign, t.key)
	}
	values := make([]parquet.Value, 512)
	for _, group := range o.RowGroups() {
		in := parquet.NewColumnChunkValueReader(group.ColumnChunks()[leaf.ColumnIndex])
		for {
			n, err := in.ReadValues(values)
			for _, v := range values[:n] {
				each(string(v.ByteArray()))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return errors.Join(err, in.Close())
			}
		}
		if err := in.Close(); err != nil {
			return err
		}
	}
	return nil
}

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
	wanted := map[string]bool{}
	for _, s := range set {
		wanted[s.key] = true
	}
	table, column := tableRuns, "run_key"
	if set[0].results {
		table, column = tableScenarios, "results_key"
	}
	files, err := a.filesOf(table, set[0].date, "")
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	present := map[string]bool{}
	for _, name := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		err := a.keys(name, column, func(key string) {
			if wanted[key] {
				present[key] = true
			}
		})
		if err != nil {
			return nil, fmt.Errorf("read archive: %w", named(name, err))
		}
	}
	return present, nil
}

// errForeign reports a file that the library cannot read. What it says of one that is
// hostile can be a panic.
var errForeign = errors.New("it is no file of an archive, or torn")

// opened is a file of a table that is read.
type opened struct {
	*parquet.File
	close func() error
}

// open opens a file of a table.
func (a *Archive) open(name string) (o *opened, err error) {
	f, err := a.openFile(name)
	if err != nil {
		return nil, err
	}
	err = safely(func() error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		o = &opened{file, f.Close}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return o, nil
}

// safely calls do and returns what it panics with as an error.
func safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errForeign, p)
		}
	}()
	if err := do(); err != nil {
		return fmt.Errorf("%w: %w", errForeign, err)
	}
	return nil
}

// keys calls each with the values of a column.
func (a *Archive) keys(name, column string, each func(string)) error {
	f, err := a.open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.texts(column, each), f.close())
}

// texts calls each with the values of a column of text.
func (o *opened) texts(column string, each func(string)) error {
	return safely(func() error {
		leaf, ok := o.Schema().Lookup(column)
		if !ok {
			return fmt.Errorf("it has no column %s", column)
		}
		for _, group := range o.RowGroups() {
			if err := pageTexts(group.ColumnChunks()[leaf.ColumnIndex].Pages(), each); err != nil {
				return err
			}
		}
		return nil
	})
}

func pageTexts(pages parquet.Pages, each func(string)) (err error) {
	defer func() { err = errors.Join(err, pages.Close()) }()
	values := make([]parquet.Value, 512)
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		in := page.Values()
		for {
			n, err := in.ReadValues(values)
			for _, v := range values[:n] {
				each(string(v.ByteArray()))
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(page)
	}
}

package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// present returns which of the keys of a set, which is of one day, are in the archive.
func (a *Archive) present(ctx context.Context, set []source) (map[string]bool, error) {
	wanted := map[string]bool{}
	for _, s := range set {
		wanted[s.key] = true
	}
	table, column := lastOf(set)
	files, err := a.filesOf(table, set[0].date, "")
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	present := map[string]bool{}
	listed := a.listed(table, set[0].date, files, wanted, present)
	for _, name := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if listed[path.Base(name)[:setBytes]] {
			continue
		}
		var of []source
		err := a.keys(name, column, func(key string) {
			if wanted[key] {
				present[key] = true
			}
			if len(of) == 0 || of[len(of)-1].key != key {
				of = append(of, source{key: key})
			}
		})
		if err != nil {
			return nil, fmt.Errorf("read archive: %w", named(name, err))
		}
		a.list(table, set[0].date, of)
	}
	return present, nil
}

// lastOf returns the table whose file comes last of a set, and its column of keys.
func lastOf(set []source) (table, column string) {
	if set[0].results {
		return tableScenarios, "results_key"
	}
	return tableRuns, "run_key"
}

// keysDir has a list of keys for each day of runs and of scenarios, so that an add need
// not open all files of the day: a line for each key, with the name of its set. A set
// that is not listed as its name says, which is a digest of the keys, is read from its
// file: a list can be torn, old or missing.
const keysDir = ".keys"

// listed notes which of the wanted keys are in sets that the list has whole, of those
// that have a file, and returns the names of these.
func (a *Archive) listed(table, date string, files []string, wanted, present map[string]bool) map[string]bool {
	sets, whole := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		sets[path.Base(name)[:setBytes]] = true
	}
	at := path.Join(keysDir, table+"."+date)
	f, err := a.openFile(at)
	if err != nil {
		return whole
	}
	defer f.Close()
	set, sum, found := "", sha256.New(), []string(nil)
	end := func() {
		if sets[set] && hexOf(sum)[:setBytes] == set {
			whole[set] = true
			for _, key := range found {
				present[key] = true
			}
		}
		set, found = "", nil
		sum.Reset()
	}
	in := bufio.NewScanner(f)
	for in.Scan() {
		name, key, ok := strings.Cut(in.Text(), " ")
		if !ok || name != set {
			end()
		}
		if set = name; !ok {
			set = ""
			continue
		}
		sum.Write([]byte(key + "\n"))
		if wanted[key] {
			found = append(found, key)
		}
	}
	end()
	if in.Err() != nil { // it is made again from the tables
		_ = a.root.Remove(at)
	}
	return whole
}

// list adds the keys of a set to the list of its day. Where that cannot be, they are
// read from the files again.
func (a *Archive) list(table, date string, set []source) {
	name, text := setName(set), []byte("\n") // what is before it may be torn
	for _, s := range set {
		text = append(text, name+" "+s.key+"\n"...)
	}
	at := path.Join(keysDir, table+"."+date)
	if info, err := a.root.Lstat(at); err == nil && !info.Mode().IsRegular() || a.makeFolder(keysDir) != nil {
		return
	}
	if f, err := a.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode); err == nil {
		_, _ = f.Write(text)
		_ = f.Close()
	}
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

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

	"github.com/parquet-go/parquet-go"
)

// present returns which of the keys of a set, which is of one day, are in the archive.
func (a *Archive) present(ctx context.Context, set []source) (map[string]bool, error) {
	wanted, present := map[string]bool{}, map[string]bool{}
	for _, s := range set {
		wanted[s.key] = true
	}
	last, date := lastOf(set), set[0].date
	files, err := a.files(last, date)
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	listed := a.listed(last, date, files, wanted, present)
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if listed[f.set] {
			continue
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
		a.list(last, date, of)
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

// keysDir has a list of keys for each day of runs and of scenarios, so that an add need
// not open all files of the day: a line for the name of each set, and one for each of its
// keys. A set that is not listed as its name says, which is a digest of the keys, is read
// from its file: a list can be torn, old or missing.
const keysDir = ".keys"

// listed notes which of the wanted keys are in sets that the list has whole, of those
// that have a file, and returns the names of these.
func (a *Archive) listed(last table, date string, files []stored, wanted, present map[string]bool) map[string]bool {
	sets, whole := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		sets[f.set] = true
	}
	at := path.Join(keysDir, last.name+"."+date)
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
		found = nil
		sum.Reset()
	}
	in := bufio.NewScanner(f)
	in.Split(bufio.ScanWords)
	for in.Scan() {
		word := in.Text()
		if len(word) == setBytes {
			end()
			set = word
			continue
		}
		sum.Write([]byte(word + "\n"))
		if wanted[word] {
			found = append(found, word)
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
func (a *Archive) list(last table, date string, set []source) {
	text := []byte("\n" + setName(set) + "\n") // what is before it may be torn
	for _, s := range set {
		text = append(text, s.key+"\n"...)
	}
	at := path.Join(keysDir, last.name+"."+date)
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

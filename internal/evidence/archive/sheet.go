package archive

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	// rowGroup is how many rows are encoded at once. Previews make them 16 MiB at most.
	rowGroup = 4096
	// pageBytes is about the size of a page before it is compressed.
	pageBytes = 128 << 10
	// maxDictionary bounds the words of a column in one group of rows, in bytes; with
	// more of them the rest is written as it is.
	maxDictionary = 256 << 10
	// fileMode and dirMode are for the owner alone, as those of evidence: previews
	// quote what agents read.
	fileMode, dirMode = 0o600, 0o700
)

// codec is what pages are compressed by.
var codec = zstd.Codec{Level: zstd.SpeedDefault}

// sheet is a file of a table that is being written, under a temporary name.
type sheet struct {
	temporary string
	schema    *parquet.Schema
	f         *os.File
	sum       hash.Hash
	w         *bufio.Writer
	writer    *parquet.GenericWriter[any]
	row       parquet.Row // the last, whose memory is used again
	rows      int
}

// rows are the tables of a set that is being written.
type rows struct {
	root   *os.Root
	prefix string            // of the temporary names
	sheets map[string]*sheet // by table
	err    error             // the first; what is added after it is lost
}

// sheet returns the file of a table, which is made the first time; nil after an error.
func (r *rows) sheet(t table) *sheet {
	if s := r.sheets[t.name]; s != nil || r.err != nil {
		return s
	}
	s := &sheet{temporary: r.prefix + "." + t.name, schema: parquet.SchemaOf(t.row), sum: sha256.New()}
	if s.f, r.err = r.root.OpenFile(s.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode); r.err != nil {
		r.err = fmt.Errorf("write table %s: %w", t.name, r.err)
		return nil
	}
	s.w = bufio.NewWriterSize(io.MultiWriter(s.f, s.sum), 64<<10)
	s.writer = parquet.NewGenericWriter[any](s.w, s.schema, parquet.Compression(&codec), parquet.PageBufferSize(pageBytes), parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.DataPageVersion(1), parquet.DictionaryMaxBytes(maxDictionary), parquet.CreatedBy("openagent-archive", Version, ""))
	r.sheets[t.name] = s
	return s
}

// add writes a row of a table.
func (r *rows) add(name string, row any) {
	s := r.sheet(tableOf(name))
	if r.err != nil {
		return
	}
	s.row = s.schema.Deconstruct(s.row[:0], row)
	s.rows++
	if _, err := s.writer.WriteRows([]parquet.Row{s.row}); err != nil {
		r.err = fmt.Errorf("write table %s: %w", name, err)
	}
}

// copy writes the rows of a file of a table.
func (r *rows) copy(t table, from *opened) error {
	s := r.sheet(t)
	if r.err != nil {
		return r.err
	}
	in := parquet.NewGenericReader[any](from.File, s.schema)
	n, err := parquet.CopyRows(s.writer, in)
	s.rows += int(n)
	return errors.Join(err, in.Close())
}

// close completes the file of a table and brings it to the disk.
func (s *sheet) close(table string) error {
	if err := cmp.Or(s.writer.Close(), s.w.Flush(), s.f.Sync(), s.f.Close()); err != nil {
		return fmt.Errorf("write table %s: %w", table, err)
	}
	return nil
}

// place completes the files and gives them their names, in the order of tables.
func (a *Archive) place(out *rows, set, date string) error {
	about := map[string]string{}
	for _, t := range tables {
		s := out.sheets[t.name]
		if s == nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(about)) {
			s.writer.SetKeyValueMetadata(key, about[key])
		}
		if err := s.close(t.name); err != nil {
			return err
		}
		if s.rows > 0 { // the last file speaks of those before it
			about[aboutFile+t.name] = hexOf(s.sum)
		}
	}
	a.sync(addingDir)
	for _, t := range tables {
		s := out.sheets[t.name]
		if s == nil {
			continue
		}
		to := stored{t, date, set, hexOf(s.sum)}
		if err := a.makeFolder(partition(t.name, date)); err != nil {
			return fmt.Errorf("write table %s: %w", t.name, named(partition(t.name, date), err))
		}
		if err := a.root.Rename(s.temporary, to.path()); err != nil {
			return fmt.Errorf("write table %s: %w", t.name, err)
		}
		a.sync(path.Dir(to.path()))
		a.sync(t.name)
	}
	a.sync(".")
	return nil
}

// aboutFile begins the name under which the last file of a set has the digest of that
// of another table.
const aboutFile = "openagent.file."

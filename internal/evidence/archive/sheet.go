package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
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
	// rowGroup is how much a group of rows holds before it is encoded, in bytes.
	rowGroup = 16 << 20
	// pageBytes is about the size of a page before it is compressed.
	pageBytes = 128 << 10
	// maxDictionary bounds the words of a column in one group of rows, in bytes; with
	// more of them the rest is written as it is.
	maxDictionary = 256 << 10
	// batch is how many rows are encoded at once, rowBytes what one takes beside its
	// long texts.
	batch, rowBytes = 256, 256
	// fileMode and dirMode are for the owner alone, as those of evidence: previews
	// quote what agents read.
	fileMode, dirMode = 0o600, 0o700
)

// codec is what pages are compressed by.
var codec = zstd.Codec{Level: zstd.SpeedDefault}

// file is a file of a table that is being written, under a temporary name.
type tableFile struct {
	table, temporary string
	f                *os.File
	sum              hash.Hash
	w                *bufio.Writer
	rows             int64
}

// digest returns the SHA-256 of what was written, in hex.
func (f *tableFile) digest() string { return hex.EncodeToString(f.sum.Sum(nil)) }

// sheet writes the rows of one table. The file is made with the first of them.
type sheet[T any] struct {
	open    func() (*tableFile, error)
	weigh   func(T) int // bytes of long texts
	file    *tableFile
	writer  *parquet.GenericWriter[T]
	pending []T
	bytes   int
}

// add writes a row.
func (s *sheet[T]) add(row T) error {
	if s.file == nil {
		f, err := s.open()
		if err != nil {
			return err
		}
		s.file = f
		s.writer = parquet.NewGenericWriter[T](f.w, parquet.Compression(&codec), parquet.PageBufferSize(pageBytes),
			parquet.DataPageVersion(1), parquet.DictionaryMaxBytes(maxDictionary), parquet.CreatedBy("openagent-archive", Version, ""))
	}
	s.pending = append(s.pending, row)
	s.bytes += rowBytes
	if s.weigh != nil {
		s.bytes += s.weigh(row)
	}
	s.file.rows++
	if len(s.pending) < batch && s.bytes < rowGroup {
		return nil
	}
	return s.flush(s.bytes >= rowGroup)
}

// flush encodes the rows that wait, and ends their group.
func (s *sheet[T]) flush(group bool) error {
	_, err := s.writer.Write(s.pending)
	clear(s.pending)
	s.pending = s.pending[:0]
	if err == nil && group {
		s.bytes = 0
		err = s.writer.Flush()
	}
	return s.named(err)
}

// named returns an error of the file with the name of the table.
func (s *sheet[T]) named(err error) error {
	if err != nil {
		return fmt.Errorf("write table %s: %w", s.file.table, err)
	}
	return nil
}

// close completes the file, with what is said about it, and brings it to the disk.
func (s *sheet[T]) close(about map[string]string) (*tableFile, error) {
	if s.file == nil {
		return nil, nil
	}
	if err := s.flush(false); err != nil {
		return s.file, err
	}
	for _, key := range slices.Sorted(maps.Keys(about)) {
		s.writer.SetKeyValueMetadata(key, about[key])
	}
	err := s.writer.Close()
	if err == nil {
		err = s.file.w.Flush()
	}
	if err == nil {
		err = s.file.f.Sync()
	}
	return s.file, s.named(errors.Join(err, s.file.f.Close()))
}

// rows are the tables of one add.
type rows struct {
	steps     sheet[stepRow]
	toolCalls sheet[toolCallRow]
	findings  sheet[findingRow]
	events    sheet[eventRow]
	scenarios sheet[scenarioRow]
	runs      sheet[runRow]
	files     []*tableFile // that were made
}

// newRows returns tables whose files are made in the folder dir of the archive, with
// that prefix.
func newRows(root *os.Root, dir, prefix string) *rows {
	r := &rows{}
	open := func(table string) func() (*tableFile, error) {
		return func() (*tableFile, error) {
			f := &tableFile{table: table, temporary: path.Join(dir, prefix+"."+table), sum: sha256.New()}
			opened, err := root.OpenFile(f.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
			if err != nil {
				return nil, fmt.Errorf("write table %s: %w", table, err)
			}
			f.f, f.w = opened, bufio.NewWriterSize(io.MultiWriter(opened, f.sum), 64<<10)
			r.files = append(r.files, f)
			return f, nil
		}
	}
	r.steps.open, r.toolCalls.open, r.findings.open = open(tableSteps), open(tableToolCalls), open(tableFindings)
	r.events.open, r.scenarios.open, r.runs.open = open(tableEvents), open(tableScenarios), open(tableRuns)
	r.events.weigh = func(e eventRow) int {
		if e.Preview == nil {
			return 0
		}
		return len(*e.Preview)
	}
	return r
}

// abandon removes the files.
func (r *rows) abandon(root *os.Root) {
	for _, f := range r.files {
		_ = f.f.Close() // a second time perhaps
		_ = root.Remove(f.temporary)
	}
}

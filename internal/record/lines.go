package record

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/atomicfile"
)

// lines is a file of JSON lines that only this process appends to. Commands of
// the run may reach it by its name; what they do there is found by verify.
type lines struct {
	path string
	file *os.File
	size int64
	sum  hash.Hash // of all that was written
	last []byte    // digest of the last line
}

func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &lines{path: path, file: f, sum: sha256.New()}, nil
}

// write appends v as one line.
func (l *lines) write(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	if _, err := l.file.Write(line); err != nil {
		// A partly written line would spoil the next one.
		return errors.Join(err, os.Truncate(l.path, l.size))
	}
	l.size += int64(len(line))
	l.sum.Write(line)
	digest := sha256.Sum256(line)
	l.last = digest[:]
	return nil
}

// verify reports whether the file is what was written. Where its name leads to
// something else, but what was written is still there, that gets its name back.
func (l *lines) verify() (bool, error) {
	if named, err := os.Open(l.path); err == nil {
		defer named.Close()
		if l.holds(named) {
			return true, nil
		}
	}
	if !l.holds(l.file) {
		return false, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(l.file, 0, l.size))
	if err == nil {
		err = os.RemoveAll(l.path)
	}
	if err == nil {
		err = atomicfile.WriteIn(filepath.Dir(l.path), filepath.Base(l.path), text, 0o600)
	}
	if err != nil {
		return false, fmt.Errorf("put %s back: %w", filepath.Base(l.path), err)
	}
	return false, nil
}

// holds reports whether f holds what was written and nothing else.
func (l *lines) holds(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() != l.size {
		return false
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(f, 0, l.size))
	return err == nil && bytes.Equal(sum.Sum(nil), l.sum.Sum(nil))
}

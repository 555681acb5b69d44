package record

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// lines is a file of JSON lines that only this process appends to. Commands of
// the run may reach it by its name; what they do there is found by verify.
type lines struct {
	path    string
	file    *os.File
	written file.Written
	last    []byte // digest of the last line
	// changed reports that somebody else wrote into it.
	changed bool
}

func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	return &lines{path: path, file: f}, err
}

// write appends v as one line.
func (l *lines) write(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	// What a command has appended must not come to stand before the line.
	info, err := l.file.Stat()
	if err == nil && info.Size() != l.written.Size() {
		err = l.restore()
	}
	if err != nil {
		return err
	}
	if _, err := l.file.Write(line); err != nil {
		// A partly written line would spoil the next one.
		return errors.Join(err, os.Truncate(l.path, l.written.Size()))
	}
	l.written.Add(line)
	digest := sha256.Sum256(line)
	l.last = digest[:]
	return nil
}

// verify reports whether the file was at no time anything but what was written.
// If it is not, that is put back as far as it is still there. A file that cannot be
// read is left alone: that is an error and no change.
func (l *lines) verify() (bool, error) {
	whole, err := l.written.IsIn(l.path)
	if err != nil {
		return !l.changed, fmt.Errorf("verify %s: %w", filepath.Base(l.path), err)
	}
	if whole {
		return !l.changed, nil
	}
	return false, l.restore()
}

// restore moves aside what stands in the place of the file, and puts back what
// was written, whatever became of its name.
func (l *lines) restore() error {
	l.changed = true
	whole, err := l.written.CopyTo(io.Discard, l.file)
	if err == nil {
		err = moveAside(l.path)
	}
	if err == nil && whole {
		err = l.putBack()
	}
	if err != nil {
		return fmt.Errorf("put %s back: %w", filepath.Base(l.path), err)
	}
	return nil
}

// putBack copies what was written from the open file to one of its name, and goes on
// in that.
func (l *lines) putBack() error {
	root, err := os.OpenRoot(filepath.Dir(l.path))
	if err != nil {
		return err
	}
	defer root.Close()
	err = file.Scratch(false).WriteFrom(root, filepath.Base(l.path), 0o600, func(out io.Writer) error {
		whole, err := l.written.CopyTo(out, l.file)
		if err == nil && !whole {
			err = errors.New("it changed while it was copied")
		}
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_ = l.file.Close() // of what was moved aside
	l.file = f
	return nil
}

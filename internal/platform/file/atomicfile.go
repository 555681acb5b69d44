package file

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Scratch reports that files go before anybody could miss them after a crash of
// the machine: nothing waits for the disk then. The zero value syncs.
type Scratch bool

// Sync brings what was written to f to the disk.
func (s Scratch) Sync(f *os.File) error {
	if s {
		return nil
	}
	return f.Sync()
}

// Write replaces the file name under root by data. perm is the mode of the new
// file whatever the umask says. A crash leaves the old file or the new one,
// at worst a temporary file beside it.
func Write(root *os.Root, name string, data []byte, perm os.FileMode) error {
	return Scratch(false).Write(root, name, data, perm)
}

// Write is the function Write.
func (s Scratch) Write(root *os.Root, name string, data []byte, perm os.FileMode) error {
	return s.WriteFrom(root, name, perm, whole(data))
}

// WriteFrom is Write for what fill writes, which need not be in memory.
func (s Scratch) WriteFrom(root *os.Root, name string, perm os.FileMode, fill func(io.Writer) error) error {
	return write(root, name, perm, steps{chmod(perm), s.Sync, (*os.Root).Rename}, fill)
}

// WriteNewFrom is WriteFrom for a file that is not there yet. One that is there stays,
// also one that came while fill wrote, and is fs.ErrExist.
func (s Scratch) WriteNewFrom(root *os.Root, name string, perm os.FileMode, fill func(io.Writer) error) error {
	return write(root, name, perm, steps{chmod(perm), s.Sync, renameNew}, fill)
}

// renameNew renames a file to a name that nothing has.
func renameNew(root *os.Root, from, to string) error {
	err := root.Link(from, to)
	if err == nil {
		return root.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	// A file system without links: whoever makes the empty file has the name.
	f, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return root.Rename(from, to)
}

// Begin is Write for a file of which another vouches that is written after it, with
// its digest: the system is asked to bring it to the disk and not waited for. A
// crash of the machine, and nothing else, can leave less than the file.
func Begin(root *os.Root, name string, data []byte, perm os.FileMode) error {
	return BeginFrom(root, name, perm, whole(data))
}

// BeginFrom is Begin for what fill writes, which need not be in memory.
func BeginFrom(root *os.Root, name string, perm os.FileMode, fill func(io.Writer) error) error {
	begin := func(f *os.File) error {
		BeginSync(f)
		return nil
	}
	return write(root, name, perm, steps{chmod(perm), begin, (*os.Root).Rename}, fill)
}

// whole writes all of the data at once.
func whole(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func chmod(perm os.FileMode) func(*os.File) error {
	return func(f *os.File) error { return f.Chmod(perm) }
}

// asCreated leaves a file the mode that the umask gave it.
func asCreated(*os.File) error { return nil }

// Create is Write with the mode that the umask leaves to new files.
func (s Scratch) Create(root *os.Root, name string, data []byte) error {
	return write(root, name, 0o666, steps{asCreated, s.Sync, (*os.Root).Rename}, whole(data))
}

// steps are what a file goes through: prepare sees it before it has any content, sync
// when it has all, and rename gives it its name.
type steps struct {
	prepare, sync func(*os.File) error
	rename        func(root *os.Root, from, to string) error
}

// write is Write by these steps. Its errors do not speak of the temporary file.
func write(root *os.Root, name string, perm os.FileMode, s steps, fill func(io.Writer) error) (err error) {
	tmp := path.Join(path.Dir(name), temporary+rand.Text())
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		f.Close() // a second time where all went well
		if err != nil {
			_ = root.Remove(tmp) // the first error is the one to tell
			if at := new(fs.PathError); errors.As(err, &at) && path.Base(filepath.ToSlash(at.Path)) == path.Base(tmp) {
				at.Path = name
			}
		}
	}()
	defer hold(root, tmp)()
	if err := s.prepare(f); err != nil {
		return err
	}
	if err := fill(f); err != nil {
		return err
	}
	if err := s.sync(f); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return s.rename(root, tmp, name)
}

// temporary begins the names of files that have no content of theirs yet.
const temporary = ".tmp-"

// Sweep removes the temporary files that killed processes left in a folder under root.
// What a living one writes stays, and so does an empty file of the last minute, of which
// the writer may not have the lock yet.
func Sweep(root *os.Root, folder string) {
	dir, err := root.Open(folder)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1)
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), temporary)
		if !ok || len(text) != len(rand.Text()) || !e.Type().IsRegular() {
			continue
		}
		at := path.Join(folder, e.Name())
		f, err := root.Open(at)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		left := err == nil && (info.Size() > 0 || time.Since(info.ModTime()) > time.Minute) && lock(f)
		f.Close()
		if left {
			_ = root.Remove(at) // another may have been faster
		}
	}
}

// WriteIn is Write for the file name in the folder dir.
func WriteIn(dir, name string, data []byte, perm os.FileMode) error {
	return Scratch(false).WriteIn(dir, name, data, perm)
}

// WritePrivate writes a file for the user alone that goes with the run, and the folders
// above it.
func WritePrivate(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return Scratch(true).WriteIn(filepath.Dir(name), filepath.Base(name), data, 0o600)
}

// WriteIn is the function WriteIn.
func (s Scratch) WriteIn(dir, name string, data []byte, perm os.FileMode) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return s.Write(root, name, data, perm)
}

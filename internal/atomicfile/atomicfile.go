// Package atomicfile writes files that are either whole or as they were: a
// temporary name in the same folder, sync, rename.
package atomicfile

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path"
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
	return write(root, name, perm, chmod(perm), fill, s.Sync)
}

// Begin is Write for a file of which another vouches that is written after it, with
// its digest: the system is asked to bring it to the disk and not waited for. A
// crash of the machine, and nothing else, can leave less than the file.
func Begin(root *os.Root, name string, data []byte, perm os.FileMode) error {
	return BeginFrom(root, name, perm, whole(data))
}

// BeginFrom is Begin for what fill writes, which need not be in memory.
func BeginFrom(root *os.Root, name string, perm os.FileMode, fill func(io.Writer) error) error {
	return write(root, name, perm, chmod(perm), fill, func(f *os.File) error {
		BeginSync(f)
		return nil
	})
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

// Create is Write with the mode that the umask leaves to new files.
func (s Scratch) Create(root *os.Root, name string, data []byte) error {
	return write(root, name, 0o666, func(*os.File) error { return nil }, whole(data), s.Sync)
}

// write is Write; prepare sees the new file before it has any content, and sync
// when it has all.
func write(root *os.Root, name string, perm os.FileMode, prepare func(*os.File) error, fill func(io.Writer) error, sync func(*os.File) error) (err error) {
	tmp := path.Join(path.Dir(name), ".tmp-"+rand.Text())
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		f.Close() // a second time where all went well
		if err != nil {
			_ = root.Remove(tmp) // the first error is the one to tell
		}
	}()
	if err := prepare(f); err != nil {
		return err
	}
	if err := fill(f); err != nil {
		return err
	}
	if err := sync(f); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return root.Rename(tmp, name)
}

// WriteIn is Write for the file name in the folder dir.
func WriteIn(dir, name string, data []byte, perm os.FileMode) error {
	return Scratch(false).WriteIn(dir, name, data, perm)
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

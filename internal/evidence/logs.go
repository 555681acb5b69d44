package evidence

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// revive makes the path lead to the folder again, and makes the folder writable. One that the agent has removed, as cleaning a work tree does, or
// moved is made anew; what it put in its place is moved aside.
func (f *Folder) revive() error {
	there, err := os.Stat(f.dir)
	if err == nil && there.IsDir() && there.Mode().Perm()&dirMode != dirMode {
		err = os.Chmod(f.dir, there.Mode().Perm()|dirMode)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ELOOP) {
		return err // nobody knows what is there
	}
	ours, oursErr := f.root.Stat(".")
	if oursErr != nil || err == nil && os.SameFile(ours, there) {
		return oursErr
	}
	aside := f.dir + ".foreign-" + rand.Text()[:8]
	if err := os.Rename(f.dir, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(f.dir, dirMode); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	gone := f.root
	f.root = root
	return gone.Close()
}

// closeLog closes a log of the folder. The agent may have taken it away or put
// something else in its place: what was written is saved again then.
func (f *Folder) closeLog(ctx context.Context, name string, log *os.File) error {
	changed := f.unchanged(ctx, name, log)
	if errors.Is(changed, errChanged) {
		f.written = append(f.written, name)
	}
	there, err := f.holds(name, log)
	if err == nil && !there {
		f.restored = append(f.restored, name)
		err = f.saveAgain(name, log)
	}
	file.BeginSync(log)
	return errors.Join(changed, err, log.Close())
}

var errChanged = errors.New("the file is not what was received: the agent, or what it started, wrote to it")

// unchanged reads the log again: whoever knows its path can write to it, and
// then it proves nothing. A cancelled run has no time for that.
func (f *Folder) unchanged(ctx context.Context, name string, log *os.File) error {
	if ctx.Err() != nil {
		return nil
	}
	found := newDigest(io.Discard)
	if _, err := io.Copy(found, io.NewSectionReader(log, 0, math.MaxInt64)); err != nil {
		return err
	}
	if found.file(name) != f.sums[name].file(name) {
		return errChanged
	}
	return nil
}

// holds reports whether the name still leads to the log.
func (f *Folder) holds(name string, log *os.File) (bool, error) {
	written, err := log.Stat()
	if err != nil {
		return false, err
	}
	found, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(written, found), err
}

func (f *Folder) saveAgain(name string, log *os.File) error {
	if err := f.root.RemoveAll(name); err != nil {
		return err
	}
	again, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = log.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(again, log)
	}
	if err = errors.Join(err, again.Close()); err != nil {
		return fmt.Errorf("save again: %w", err)
	}
	return nil
}

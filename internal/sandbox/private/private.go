// Package private makes the home and temporary folders of sandboxed commands, and
// removes those of killed runs.
package private

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/openagent-ci/openagent/internal/platform/file"
)

// Link is something that the private HOME has from the real one: a link to a cache,
// or a copy of a file or folder.
type Link struct {
	// Name is relative to the private HOME.
	Name, Target string
	Copy         bool
}

// User is a user by numbers, with a group.
type User struct{ UID, GID uint32 }

// String gives the user as it is written in a flag.
func (u User) String() string { return fmt.Sprintf("%d:%d", u.UID, u.GID) }

// Folder holds home and temporary folder of the commands of one run.
type Folder struct {
	path string
	lock *os.File // held as long as this process lives, nil where none can be
}

// prefix begins the name of every Folder.
const prefix = "openagent-sandbox-"

// Make makes the folders in temp, the system's temporary folder when that is empty,
// fills the home, and makes both those of the user, if there is one.
func Make(temp string, links []Link, owner *User) (*Folder, error) {
	dir, err := os.MkdirTemp(cmp.Or(temp, os.TempDir()), prefix)
	if err != nil {
		return nil, fmt.Errorf("make private folders: %w", err)
	}
	f := &Folder{dir, Lock(dir)}
	if f.path, err = filepath.EvalSymlinks(dir); err == nil {
		err = errors.Join(os.Mkdir(f.Home(), 0o700), os.Mkdir(f.Temp(), 0o700))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make private folders: %w", err), f.Remove())
	}
	for _, l := range links {
		if err := f.put(l); err != nil {
			return nil, errors.Join(fmt.Errorf("fill the private home: %w", err), f.Remove())
		}
	}
	if err := f.giveAway(owner); err != nil {
		return nil, errors.Join(fmt.Errorf("give away private folders: %w", err), f.Remove())
	}
	return f, nil
}

// Home returns the private HOME, Temp the private temporary folder; of no Folder "".
func (f *Folder) Home() string { return f.below("home") }
func (f *Folder) Temp() string { return f.below("tmp") }

func (f *Folder) below(name string) string {
	if f == nil {
		return ""
	}
	return filepath.Join(f.path, name)
}

// put makes a link or a copy in the private HOME.
func (f *Folder) put(l Link) error {
	at := filepath.Join(f.Home(), filepath.FromSlash(l.Name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	if !l.Copy {
		return os.Symlink(l.Target, at)
	}
	if info, err := os.Stat(l.Target); err == nil && info.IsDir() {
		return os.CopyFS(at, os.DirFS(l.Target))
	}
	text, err := os.ReadFile(l.Target)
	if err != nil {
		return err
	}
	return file.WritePrivate(at, text)
}

// giveAway makes the folders those of another user, but for the one that they lie in,
// by whose owner what is left over is known.
func (f *Folder) giveAway(u *User) error {
	if u == nil {
		return nil
	}
	err := filepath.WalkDir(f.path, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != f.path {
			err = os.Lchown(path, int(u.UID), int(u.GID))
		}
		return err
	})
	return errors.Join(err, os.Chmod(f.path, 0o711))
}

// Remove removes the folders, also those in them that may not be read or changed, and
// then what killed runs left beside them.
func (f *Folder) Remove() error {
	err := removeAll(f.path)
	if err != nil {
		err = fmt.Errorf("remove private folders: %w", err)
	}
	if f.lock != nil {
		_ = f.lock.Close()
	}
	sweep(filepath.Dir(f.path), time.Now())
	return err
}

// removeAll removes a folder, also one in which there are others that may not be
// written to, as Go's module cache has them. It follows no link.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(path, 0o700) // before it is read
		}
		return nil
	})
	return os.RemoveAll(dir)
}

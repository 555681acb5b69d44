package evidence

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path"
)

// moveForeign moves what the agent put into the folder itself out of the way of
// what is still to be written, to where collect finds it, and returns how much
// that is. It would be evidence that nobody redacted, or in the place of such.
func (f *Folder) moveForeign() (n int, err error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		if f.sums[e.Name()] != nil {
			continue
		}
		n++
		errs = append(errs, f.moveAway(e.Name()))
	}
	return n, errors.Join(errs...)
}

// moveAway moves one entry. What cannot be moved is removed, since nobody
// redacted it, and told of.
func (f *Folder) moveAway(name string) error {
	if f.foreign == "" {
		f.foreign = ".foreign-" + rand.Text()
		if err := f.root.Mkdir(f.foreign, dirMode); err != nil {
			f.foreign = ""
			return errors.Join(err, f.root.RemoveAll(name))
		}
	}
	if err := f.root.Rename(name, path.Join(f.foreign, name)); err != nil {
		return errors.Join(err, f.root.RemoveAll(name))
	}
	return nil
}

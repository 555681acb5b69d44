package htmlreport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/text/hint"
)

var (
	// errThere refuses a file that exists.
	errThere = errors.New("the file exists")
	// errEvidence refuses one that a page would take from the evidence.
	errEvidence = errors.New("the file belongs to evidence")
)

// free reports whether a page may be written to the path, which the user calls out:
// nothing lies there, or a file that is not evidence and may go by force.
func (s *Source) free(path, out string, force bool) error {
	info, err := os.Lstat(path)
	there := err == nil
	switch {
	case os.IsPathSeparator(out[len(out)-1]):
		return hint.With(fmt.Errorf("write page: %s names a folder", out), "name a file by --out")
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("write page: %w", err)
	case !info.Mode().IsRegular():
		return hint.With(fmt.Errorf("write page: %s is no regular file", out), "name a file by --out")
	}
	switch {
	case s.claimed(path):
		return hint.With(fmt.Errorf("write page to %s: %w", out, errEvidence), "name another one by --out")
	case there && !force:
		return existsError(out)
	}
	return nil
}

// existsError is the error of a file that exists.
func existsError(out string) error {
	return hint.With(fmt.Errorf("write page to %s: %w", out, errThere), "replace it by --force, or name another one by --out")
}

// claimed reports whether the file at path is one of what the page is made of, or of
// any folder of evidence that it lies in.
func (s *Source) claimed(path string) bool {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false // nothing can be written there
	}
	path = filepath.Join(dir, filepath.Base(path))
	for _, file := range s.files {
		if same(path, s.place.Path(file)) {
			return true
		}
	}
	for _, n := range s.named {
		folder, err := filepath.Abs(s.place.Path(n.name))
		if err == nil {
			folder, err = filepath.EvalSymlinks(folder)
		}
		if n.wrong != nil && same(path, s.place.Path(n.name)) || n.wrong == nil && err == nil && evidence.Owns(folder, path) {
			return true
		}
	}
	for above := ""; above != dir; dir = filepath.Dir(dir) {
		if above = dir; evidence.HasManifest(dir) && evidence.Owns(dir, path) {
			return true
		}
	}
	return false
}

// same reports whether two paths lead to one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

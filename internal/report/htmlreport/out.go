package htmlreport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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

// claimed reports whether path is a file that the page is made of, or lies in a
// folder of evidence, where a page may neither replace nor add a file.
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
		if n.wrong != nil && same(path, s.place.Path(n.name)) {
			return true
		}
	}
	for above := ""; above != dir; dir = filepath.Dir(dir) {
		// A folder that the page shows may have a stream and no manifest.
		shown := func(n named) bool { return s.holds(n.name, evidence.EventsFile) && same(dir, s.place.Path(n.name)) }
		if above = dir; evidence.HasManifest(dir) || slices.ContainsFunc(s.named, shown) {
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

package page

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/atomicfile"
	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/hint"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/schema"
)

// maxResults bounds a file with results of scenarios, in bytes.
const maxResults = 64 << 20

// Source is what a page is made of, in the order of its runs.
type Source struct {
	place   process.Place
	folders []string // as they were called
	results *schema.TestResults
}

// Find returns the evidence folders that args name, and the results of scenarios,
// which are a file or a folder that holds results.json.
func Find(ctx context.Context, p process.Place, args []string) (*Source, error) {
	s := &Source{place: p}
	for _, arg := range args {
		info, err := p.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("read evidence: %w", err)
		}
		file := arg
		if info.IsDir() {
			file = filepath.Join(arg, evidence.ResultsFile)
			if !s.holds(arg, evidence.ResultsFile) || s.holds(arg, evidence.ManifestFile) {
				s.folders = append(s.folders, arg)
				continue
			}
		}
		if err := s.readResults(ctx, file); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Source) holds(dir, name string) bool {
	_, err := s.place.Stat(filepath.Join(dir, name))
	return err == nil
}

func (s *Source) readResults(ctx context.Context, file string) error {
	if s.results != nil {
		return fmt.Errorf("%s: a page shows the results of one file", file)
	}
	text, err := s.place.ReadUpTo(ctx, file, maxResults)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	var form struct{ Schema string }
	if err := json.Unmarshal(text, &form); err != nil || form.Schema != schema.TestResultsVersion {
		return hint.With(fmt.Errorf("%s holds no results of scenarios: schema is %q, want %q", file, form.Schema, schema.TestResultsVersion),
			"name folders of evidence, and results.json of openagent test --out")
	}
	s.results = &schema.TestResults{}
	if err := json.Unmarshal(text, s.results); err != nil {
		return fmt.Errorf("read results: %s: %w", file, err)
	}
	return nil
}

// UnreadError is the error of runs that are not on a page, or not as they were.
type UnreadError struct{ error }

func (e *UnreadError) Unwrap() error { return e.error }

// errThere refuses a file that exists.
var errThere = errors.New("the file exists")

// Write writes the page to a file, an existing one only by force. It reports whether
// there is one: with an UnreadError there may be, and says so.
func (s *Source) Write(ctx context.Context, out, version string, force bool) (written bool, err error) {
	path, err := s.place.Abs(out)
	if err != nil {
		return false, err
	}
	if err := free(path, out, force); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return false, fmt.Errorf("write page: %w", err)
	}
	defer root.Close()
	var unread []error
	err = atomicfile.Scratch(s.place.IsScratch(path)).WriteFrom(root, filepath.Base(path), 0o600, func(file io.Writer) error {
		buffer := bufio.NewWriterSize(file, maxLine)
		w := NewWriter(buffer, Options{Version: version, Runs: len(s.folders), Results: s.results})
		if unread, err = s.add(ctx, w, filepath.Dir(path)); err != nil {
			return err
		}
		return errors.Join(w.Close(), buffer.Flush())
	})
	switch nothing := new(UnreadError); {
	case errors.As(err, &nothing):
		return false, err
	case err != nil:
		return false, fmt.Errorf("write page: %w", err)
	case len(unread) > 0:
		return true, &UnreadError{errors.Join(unread...)}
	}
	return true, nil
}

// free reports whether a page may be written to the path.
func free(path, out string, force bool) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("write page: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("write page: %s is no regular file", out)
	case !force:
		return hint.With(fmt.Errorf("write page to %s: %w", out, errThere), "replace it by --force, or name another one by --out")
	}
	return nil
}

// add adds the runs to the page, which will lie in the folder dir. What of them
// cannot be read is returned apart.
func (s *Source) add(ctx context.Context, w *Writer, dir string) (unread []error, err error) {
	shown := s.results != nil
	for _, folder := range s.folders {
		if err := ctx.Err(); err != nil {
			return unread, err
		}
		run, err := open(s.place.Path(folder), folder, s.base(dir, folder))
		if err != nil {
			unread = append(unread, err)
		}
		shown = shown || run.Stream != nil || run.Manifest.Schema != ""
		if run.Stream != nil {
			run.Stream = &Lasting{ctx, run.Stream}
		}
		err = w.Add(run.Run)
		if closeErr := run.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return unread, fmt.Errorf("%s: %w", folder, err)
		}
	}
	if !shown {
		return nil, &UnreadError{errors.Join(unread...)}
	}
	return unread, nil
}

// base leads from the folder of the page to another one, where there is such a way.
func (s *Source) base(dir, folder string) string {
	path, err := s.place.Abs(folder)
	if err != nil {
		return ""
	}
	short, err := filepath.Rel(dir, path)
	if err != nil || short == "." {
		return ""
	}
	return filepath.ToSlash(short) + "/"
}

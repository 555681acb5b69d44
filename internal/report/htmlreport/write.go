package htmlreport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/evidence"
	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/transcript"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lines"
	"github.com/openagent-ci/openagent/schema"
)

// maxResults bounds a file with results of scenarios, in bytes.
const maxResults = 64 << 20

// Source is what a page is made of, in the order of its runs.
type Source struct {
	// Stdin is what a dash names.
	Stdin   io.Reader
	place   process.Env
	named   []named
	results *schema.TestResults
	// files are where results were read, or should have been.
	files []string
}

// named is what an argument names, as it was called: a folder, a stream, or something of
// which the page can show nothing but the reason.
type named struct {
	name   string
	stream bool
	wrong  error
}

// wrongHint is the way out of an argument that names nothing for a page.
const wrongHint = "name folders of evidence, as openagent ci writes them, saved streams, and results.json of openagent test --out"

// Find returns the evidence folders and saved streams that args name, and the results of
// scenarios, which are a file called .json or a folder that holds results.json. What is
// none of them has a row on the page as well.
func Find(ctx context.Context, p process.Env, args []string) *Source {
	s := &Source{place: p}
	for _, arg := range args {
		if n, err := s.find(ctx, arg); err != nil {
			s.named = append(s.named, named{name: arg, wrong: hint.With(err, wrongHint)})
		} else if n != nil {
			s.named = append(s.named, *n)
		}
	}
	return s
}

// find returns the folder or the stream that arg names, nil for results, which it reads.
func (s *Source) find(ctx context.Context, arg string) (*named, error) {
	if arg == "-" {
		return &named{name: arg, stream: true}, nil
	}
	info, err := s.place.Stat(arg)
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	file := arg
	switch {
	case info.IsDir():
		file = filepath.Join(arg, evidence.ResultsFile)
		if !s.holds(arg, evidence.ResultsFile) || s.holds(arg, evidence.ManifestFile) {
			return &named{name: arg}, nil
		}
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read evidence: %s is neither a folder nor a file", arg)
	case filepath.Ext(arg) != ".json":
		s.files = append(s.files, arg)
		return &named{name: arg, stream: true}, nil
	}
	return nil, s.readResults(ctx, file)
}

func (s *Source) holds(dir, name string) bool {
	_, err := s.place.Stat(filepath.Join(dir, name))
	return err == nil
}

func (s *Source) readResults(ctx context.Context, file string) error {
	if s.results != nil {
		return fmt.Errorf("%s: a page shows the results of one file", file)
	}
	s.files = append(s.files, file)
	text, err := s.readFile(ctx, file)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	results, err := schema.DecodeTestResults(text)
	if err != nil {
		return fmt.Errorf("%s holds no results of scenarios: %w", file, err)
	}
	s.results = &results
	return nil
}

func (s *Source) readFile(ctx context.Context, file string) ([]byte, error) {
	f, err := s.place.OpenFile(ctx, file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return process.ReadUpTo(f, file, maxResults)
}

// UnreadError is the error of runs that are not on a page, or not as they were.
type UnreadError struct{ error }

func (e *UnreadError) Unwrap() error { return e.error }

// Write writes the page to a file, an existing one only by force. It reports whether
// there is one: with an UnreadError there may be, and says so.
func (s *Source) Write(ctx context.Context, out, version string, force bool) (written bool, err error) {
	path, err := s.place.Abs(out)
	if err != nil {
		return false, err
	}
	if err := s.free(path, out, force); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return false, fmt.Errorf("write page: %w", err)
	}
	defer root.Close()
	var unread []error
	save := file.Scratch(s.place.IsScratch(path)).WriteNewFrom
	if force {
		save = file.Scratch(s.place.IsScratch(path)).WriteFrom
	}
	err = save(root, filepath.Base(path), 0o600, func(file io.Writer) error {
		w := NewWriter(file, Options{Version: version, Runs: len(s.named), Results: s.results})
		if unread, err = s.add(ctx, w, filepath.Dir(path)); err != nil {
			return err
		}
		return w.Close()
	})
	switch nothing := new(UnreadError); {
	case errors.As(err, &nothing):
		return false, err
	case errors.Is(err, fs.ErrExist): // another one made it meanwhile
		return false, existsError(out)
	case err != nil:
		return false, fmt.Errorf("write page: %w", err)
	case len(unread) > 0:
		return true, &UnreadError{errors.Join(unread...)}
	}
	return true, nil
}

// add adds the runs to the page, which will lie in the folder dir. What of them
// cannot be read is returned apart.
func (s *Source) add(ctx context.Context, w *Writer, dir string) (unread []error, err error) {
	shown := s.results != nil
	for _, n := range s.named {
		if err := ctx.Err(); err != nil {
			return unread, err
		}
		run, err := s.open(ctx, n, dir)
		if err != nil {
			unread = append(unread, err)
		}
		shown = shown || run.Stream != nil || run.Manifest.Schema != ""
		lost, err := addRun(ctx, w, run.Run)
		if lost != nil {
			unread = append(unread, fmt.Errorf("%s: %w", n.name, lost))
		}
		if err = errors.Join(err, run.Close()); err != nil {
			return unread, fmt.Errorf("%s: %w", n.name, err)
		}
	}
	if !shown {
		return nil, &UnreadError{errors.Join(unread...)}
	}
	return unread, nil
}

// open opens what an argument names, as open does.
func (s *Source) open(ctx context.Context, n named, dir string) (*opened, error) {
	if n.wrong != nil {
		return &opened{Run: Run{Name: n.name, Unchecked: true, View: report.View{Run: transcript.New(0), Notes: []string{n.wrong.Error()}}}}, n.wrong
	}
	if n.stream {
		r, err := s.openStream(ctx, n.name)
		if err != nil {
			r.Unchecked, r.Notes = true, []string{err.Error()}
			err = hint.With(err, wrongHint)
		}
		return r, err
	}
	return open(ctx, s.place.Path(n.name), n.name, s.base(dir, n.name), RoomForTexts)
}

// openStream opens a saved stream of any agent. The page reads the events from a copy: a
// stream may be in another form, and standard input is read once.
func (s *Source) openStream(ctx context.Context, name string) (*opened, error) {
	r := &opened{Run: Run{Name: name, View: report.View{Run: transcript.New(RoomForTexts)}}}
	in := io.NopCloser(s.Stdin)
	if name != "-" {
		var err error
		if in, err = s.place.OpenFile(ctx, name); err != nil {
			return r, fmt.Errorf("read stream: %w", err)
		}
	}
	defer in.Close()
	file, err := os.CreateTemp(s.place.Temp(), "openagent-report-")
	if err != nil {
		return r, fmt.Errorf("copy stream: %w", err)
	}
	r.copy = file.Name()
	out := bufio.NewWriter(file)
	view, err := report.StreamView(ctx, in, name, r.View.Run, out)
	if err = errors.Join(err, out.Flush(), file.Close()); err != nil {
		return r, fmt.Errorf("read stream %s: %w", name, err)
	}
	r.View, r.Stream = view, func() (io.ReadCloser, error) { return os.Open(r.copy) }
	return r, nil
}

// addRun adds a run to the page, without its lines where these cannot be read: lost
// says why.
func addRun(ctx context.Context, w *Writer, r Run) (lost, err error) {
	if r.Stream == nil {
		return nil, w.Add(r)
	}
	r.Stream = Lasting(ctx, r.Stream)
	if err = w.Add(r); err == nil || ctx.Err() != nil {
		return nil, err
	}
	r.Stream, r.Doubted, r.Notes = nil, true, append(r.Notes, err.Error())
	return err, w.Add(r)
}

// Lasting returns what opens a stream that ends with ctx.
func Lasting(ctx context.Context, open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, err := open()
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{&lines.Lasting{Context: ctx, Reader: f}, f}, nil
	}
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

// Package history owns what was said and done in earlier runs: sessions as
// append-only files of JSON lines, the part of a session that is sent to the
// model again, its consolidation into a summary, and the search over all of
// them, which is also a tool.
package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/openagent-ci/openagent/internal/event"
)

// Files of a session, by the suffix after its name. Those that were moved
// aside end with a number.
const (
	linesKind   = ".jsonl"
	metaKind    = ".meta.json"
	leaseKind   = ".lease"                // held by the run that uses the session
	tornKind    = linesKind + ".torn-"    // half a line of a writer that died
	foreignKind = linesKind + ".foreign-" // what no run wrote
)

// fileMode is the mode of every file of the history.
const fileMode = 0o600

// Folder returns the folder of the sessions in a state folder.
func Folder(state string) string { return filepath.Join(state, "sessions") }

// maxName is the longest name of a session, in bytes.
const maxName = 64

// names has no bound: a repetition with one costs every start of the program 0.2 ms.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// isName reports whether a session may have this name.
func isName(name string) bool { return len(name) <= maxName && names.MatchString(name) }

// Options say how a session is used. Dir and RunID are required, the rest has
// a useful zero value.
type Options struct {
	// Dir is the folder of the sessions.
	Dir string
	// Session is the name of the session to go on with or to begin; a fresh
	// one, named after the run, when empty.
	Session string
	// Passing removes the session when it is closed.
	Passing bool
	RunID   string
	// Window is how many lines of earlier talk a request gets.
	Window int
	// Consolidation replaces the window when it is not nil.
	Consolidation *Consolidation
	// Mask takes secrets out of whatever is written; nil for none.
	Mask  func(string) string
	Clock *event.Clock // dates the lines; the system's when nil
	Log   *slog.Logger // gets a warning for what is wrong with the files; nil for none
}

// Session is one open session. It belongs to one run at a time and is for one
// goroutine.
type Session struct {
	opts    Options
	name    string
	lease   func() error // gives the session back to other runs
	seen    state
	meta    meta
	text    []byte // of the file that holds meta, as this run left it; nil for none
	broken  broken // what was read last
	foreign bool   // the session holds what this run did not write, and is used no more
}

// Open opens the session, makes its file if there is none, and moves a torn
// last line aside.
func Open(ctx context.Context, opts Options) (*Session, error) {
	if opts.Clock == nil {
		opts.Clock = event.NewClock()
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Mask == nil {
		opts.Mask = func(s string) string { return s }
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of sessions: %w", err)
	}
	s := &Session{opts: opts, name: opts.Session}
	if s.name == "" {
		if err := s.create(); err != nil {
			return nil, fmt.Errorf("begin session: %w", err)
		}
	}
	if !isName(s.name) {
		return nil, fmt.Errorf("session %q: want 1 to %d letters, digits, dots, underscores or dashes, the first a letter or digit", s.name, maxName)
	}
	var err error
	if s.lease, err = lock(ctx, s.path(leaseKind)); err == nil {
		err = locked(ctx, opts.Dir, func() error { return s.load(ctx) })
	}
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", s.name, errors.Join(err, s.Close()))
	}
	return s, nil
}

// create makes a session that did not exist, named after the run.
func (s *Session) create() error {
	for n := 1; ; n++ {
		number := ""
		if n > 1 {
			number = fmt.Sprintf("-%d", n)
		}
		s.name = s.opts.RunID[:min(len(s.opts.RunID), maxName-len(number))] + number
		if !isName(s.name) {
			return fmt.Errorf("run id %q cannot be its name", s.opts.RunID)
		}
		f, err := os.OpenFile(s.path(linesKind), os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
		if err == nil {
			return f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// Name returns the name of the session.
func (s *Session) Name() string { return s.name }

// path returns the path of the session's file of a kind.
func (s *Session) path(kind string) string { return filepath.Join(s.opts.Dir, s.name+kind) }

// Close gives the session back to other runs. A passing one is removed with all
// that belongs to it.
func (s *Session) Close() error {
	var err error
	if s.opts.Passing {
		err = locked(context.Background(), s.opts.Dir, func() error { return remove(s.opts.Dir, s.name) })
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // its lines were moved aside
		}
	}
	if s.lease == nil {
		return err
	}
	err = errors.Join(err, s.lease())
	if s.opts.Session == "" { // nobody else waits for it
		err = errors.Join(err, os.Remove(s.path(leaseKind)))
	}
	return err
}

// open opens a file for reading. One that is not regular is refused, since
// reading it may never end.
func open(path string) (*os.File, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// checkRegular returns an error unless a regular file is at path.
func checkRegular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	return err
}

// sessions returns the names of the sessions in a folder, sorted. A folder
// that does not exist has none.
func sessions(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var list []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), linesKind)
		if ok && e.Type().IsRegular() && isName(name) {
			list = append(list, name)
		}
	}
	return list, nil
}

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

// folderName is the folder of the sessions in a state folder.
const folderName = "sessions"

// suffix is what the name of a session's file ends with.
const suffix = ".jsonl"

// Folder returns the folder of the sessions in a state folder.
func Folder(state string) string { return filepath.Join(state, folderName) }

// maxName is the longest name of a session, in bytes.
const maxName = 64

// names has no bound: a repetition with one costs every start of the program 0.2 ms.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// isName reports whether a session may have this name.
func isName(name string) bool { return len(name) <= maxName && names.MatchString(name) }

// Options tell how a session is kept. Dir and RunID are required, the rest has
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
	// Window is how many lines of talk a request gets of what was said
	// before; none when 0.
	Window int
	// Consolidation replaces the window when it is not nil.
	Consolidation *Consolidation
	// Mask takes secrets out of whatever is written; nil for none.
	Mask  func(string) string
	Clock *event.Clock // dates the lines; the system's when nil
	Log   *slog.Logger // is told what was wrong with the files; nil for nobody
}

// Session is one open session. It belongs to one run at a time, and is for one
// goroutine.
type Session struct {
	opts    Options
	name    string
	lease   func() error // gives it back to other runs
	seen    state
	meta    meta   // what its second file holds
	text    []byte // of that file, as this run left it; nil for none
	foreign bool   // it holds what this run did not write, and is not used any more
	broken  broken
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
		if err := s.fresh(); err != nil {
			return nil, fmt.Errorf("begin session: %w", err)
		}
	}
	if !isName(s.name) {
		return nil, fmt.Errorf("session %q: want 1 to %d letters, digits, dots, underscores or dashes, the first a letter or digit", s.name, maxName)
	}
	var err error
	if s.lease, err = lockFile(ctx, s.path(leaseKind)); err == nil && opts.Session != "" {
		err = s.add(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", s.name, errors.Join(err, s.Close()))
	}
	return s, nil
}

// Name returns the name of the session.
func (s *Session) Name() string { return s.name }

// fresh begins a session that did not exist, named after the run.
func (s *Session) fresh() error {
	for n := 1; ; n++ {
		number := ""
		if n > 1 {
			number = fmt.Sprintf("-%d", n)
		}
		s.name = s.opts.RunID[:min(len(s.opts.RunID), maxName-len(number))] + number
		if !isName(s.name) {
			return fmt.Errorf("run id %q cannot be its name", s.opts.RunID)
		}
		f, err := os.OpenFile(s.path(suffix), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		s.seen, err = look(f, 0)
		return errors.Join(err, f.Close())
	}
}

// path returns the session's file of that kind.
func (s *Session) path(kind string) string { return filepath.Join(s.opts.Dir, s.name+kind) }

// open opens the session's file for reading. A file that is not regular is
// refused, since reading it may never end.
func open(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, name+suffix)
	if err := regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// regular returns an error unless a regular file is at path: to open or to read
// another one may have no end.
func regular(path string) error {
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
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if ok && e.Type().IsRegular() && isName(name) {
			list = append(list, name)
		}
	}
	return list, nil
}

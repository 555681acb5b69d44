// Package history stores the sessions of earlier runs as append-only files, selects
// what is sent to the model again, summarizes old parts, and searches all sessions.
package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
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

const (
	fileMode = 0o600 // of every file
	maxName  = 64    // bytes of a session's name
)

// Folder returns the folder of the sessions in a state folder.
func Folder(state string) string { return filepath.Join(state, "sessions") }

// File returns the file of a session in the folder of all.
func File(dir, session string) string { return filepath.Join(dir, session+linesKind) }

// names has no bound: a repetition with one costs every start of the program 0.2 ms.
var names = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// isName reports whether a session may have this name.
func isName(name string) bool { return len(name) <= maxName && names().MatchString(name) }

// Options say how a session is used. Session, Passing, Scratch, Window and
// Consolidation may be left out.
type Options struct {
	Dir           string // of the sessions
	Session       string // the one to go on with or to begin; a fresh one, named after the run, when empty
	Passing       bool   // removes the session when it is closed
	Scratch       bool   // the folder goes before anybody could miss it after a crash of the machine
	RunID         string
	Window        int                 // lines of earlier talk in a request
	Consolidation *Consolidation      // replaces the window when it is not nil
	Mask          func(string) string // takes secrets out of whatever is written
	Clock         *event.Clock        // dates the lines
	Log           *slog.Logger        // gets a warning for what is wrong with the files
}

// Session is one open session. It belongs to one run at a time and is for one
// goroutine.
type Session struct {
	opts    Options
	name    string
	lease   func() error // gives the session back to other runs
	file    *os.File     // with the lines
	seen    state
	meta    meta
	text    []byte // of the file that holds meta, as this run left it; nil for none
	broken  Broken // what was read last
	foreign bool   // the session holds what this run did not write, and is used no more
}

// Open opens the session, makes its file if there is none, and moves a torn
// last line aside.
func Open(ctx context.Context, opts Options) (*Session, error) {
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
	number := ""
	for n := 2; ; n++ {
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
		number = fmt.Sprintf("-%d", n)
	}
}

// Name returns the name of the session.
func (s *Session) Name() string { return s.name }

// path returns the path of the session's file of a kind.
func (s *Session) path(kind string) string { return filepath.Join(s.opts.Dir, s.name+kind) }

// Close gives the session back to other runs. A passing one is removed with all
// that belongs to it.
func (s *Session) Close() error {
	if s.file != nil {
		_ = s.file.Close() // what was written is synced
	}
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

// checkRegular returns an error if something else than a regular file is at path:
// reading it may never end.
func checkRegular(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s %w", path, errIrregular)
	}
	return nil
}

var errIrregular = errors.New("is no regular file")

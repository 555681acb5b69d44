package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/openagent-ci/openagent/internal/atomicfile"
)

// meta is what a session's second file holds.
type meta struct {
	V       int    `json:"v"`
	Summary string `json:"summary"`
	// Cursor is the number of lines of talk, from the first, that the summary
	// covers.
	Cursor int `json:"cursor"`
	// Reported is the size of the session up to which broken lines were
	// reported.
	Reported int64 `json:"told,omitempty"`
}

// saveMeta writes m; s holds it when it is saved.
func (s *Session) saveMeta(m meta) error {
	b, err := json.Marshal(m)
	if err == nil {
		b = append(b, '\n')
		err = atomicfile.WriteIn(s.opts.Dir, s.name+metaKind, b, fileMode)
	}
	if err != nil {
		return fmt.Errorf("save summary: %w", err)
	}
	s.meta, s.text = m, b
	return nil
}

// loadMeta reads what was saved last. A file that cannot be understood counts
// as none, since the talk itself is still complete.
func (s *Session) loadMeta() {
	s.meta = meta{V: version}
	var err error
	if s.text, err = s.readMeta(); err == nil && s.text == nil {
		return
	}
	var m meta
	if err == nil {
		err = json.Unmarshal(s.text, &m)
	}
	if err == nil && (m.V != version || m.Cursor < 0) {
		err = fmt.Errorf("v is %d and cursor %d", m.V, m.Cursor)
	}
	if err != nil {
		s.opts.Log.Warn("the summary of a session cannot be read and is left out", "session", s.name, "error", err)
		return
	}
	if m.Reported > s.seen.size {
		m.Reported = 0 // of another file
	}
	s.meta = m
}

// readMeta returns the text of the file, nil when there is none.
func (s *Session) readMeta() ([]byte, error) {
	f, err := open(s.path(metaKind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// restoreMeta makes the file what this run left, where it is not that any more.
// The caller holds the lock.
func (s *Session) restoreMeta() error {
	now, err := s.readMeta()
	if err == nil && bytes.Equal(now, s.text) {
		return nil
	}
	s.foreign = true
	s.opts.Log.Warn("the summary of a session is not what this run left, and is put back", "session", s.name)
	if err := os.RemoveAll(s.path(metaKind)); err != nil || s.text == nil {
		return err
	}
	return atomicfile.WriteIn(s.opts.Dir, s.name+metaKind, s.text, fileMode)
}

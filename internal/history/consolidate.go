package history

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/openagent-ci/openagent/internal/atomicfile"
)

//go:embed summarise.md
var summariseText string

// Consolidation tells when old talk becomes a summary.
type Consolidation struct {
	// Threshold is how many lines of talk may stand without being summarised.
	Threshold int
	// Keep is the part of Threshold that stays as it is, from 0 to 1; one line
	// stays at least.
	Keep float64
}

// kept returns how many lines stay when the others are summarised.
func (c Consolidation) kept() int {
	// 0.29 of 100 must be 29, although the nearest binary fraction is a little
	// less.
	const rounding = 1e-9
	return max(1, int(math.Floor(float64(c.Threshold)*c.Keep+rounding)))
}

// warnAhead is how many lines before the threshold the model is told.
const warnAhead = 2

// Summarise asks the model, by instructions, for a summary of a talk.
type Summarise func(ctx context.Context, instructions, talk string) (string, error)

// consolidated returns the summary and the talk behind it. When there is too
// much of that, it first has the older part summarised; a summary that fails,
// or cannot be saved, leaves all as it was.
func (s *Session) consolidated(ctx context.Context, limit Consolidation, summarise Summarise) (Past, error) {
	m, talk, err := s.unconsolidated(ctx)
	if err != nil {
		return Past{}, err
	}
	if old := len(talk) - limit.kept(); len(talk) > limit.Threshold && old > 0 {
		next, err := s.consolidate(ctx, m, talk[:old], summarise)
		if err != nil {
			s.opts.Log.Warn("old talk of a session could not be summarised and stays as it is", "session", s.name, "error", err)
		} else {
			m, talk = next, talk[old:]
		}
	}
	return Past{Summary: m.Summary, Talk: talk, Closing: len(talk) >= limit.Threshold-warnAhead}, nil
}

// consolidate has old talk summarised, together with the summary so far, and
// saves the new one.
func (s *Session) consolidate(ctx context.Context, m meta, old []Talk, summarise Summarise) (meta, error) {
	var b strings.Builder
	if m.Summary != "" {
		fmt.Fprintf(&b, "SUMMARY SO FAR: %s\n\n", m.Summary)
	}
	for _, t := range old {
		speaker := "USER"
		if t.byModel {
			speaker = "ASSISTANT"
		}
		fmt.Fprintf(&b, "%s: %s\n\n", speaker, t.text)
	}
	text, err := summarise(ctx, summariseText, b.String())
	if err != nil {
		return meta{}, err
	}
	next := meta{V: version, Summary: s.masked(text), Cursor: m.Cursor + len(old), Told: m.Told}
	return next, s.saveMeta(next)
}

// meta is the content of a session's second file.
type meta struct {
	V       int    `json:"v"`
	Summary string `json:"summary"`
	// Cursor is the number of lines of talk, from the first, that the summary
	// covers.
	Cursor int `json:"cursor"`
	// Told is the size of the session up to which broken lines were told.
	Told int64 `json:"told,omitempty"`
}

// metaKind is the suffix of that file.
const metaKind = ".meta.json"

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

// readMeta returns the text of the second file, nil when there is none.
func (s *Session) readMeta() ([]byte, error) {
	err := regular(s.path(metaKind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(s.path(metaKind))
}

// loadMeta reads what was saved last. A file that cannot be understood counts
// as none, since the talk itself is still complete.
func (s *Session) loadMeta() {
	s.meta = meta{V: version}
	b, err := s.readMeta()
	s.text = b
	if err == nil && b == nil {
		return
	}
	var m meta
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err == nil && (m.V != version || m.Cursor < 0) {
		err = fmt.Errorf("v is %d and cursor %d", m.V, m.Cursor)
	}
	if err != nil {
		s.opts.Log.Warn("the summary of a session cannot be read and is left out", "session", s.name, "error", err)
		return
	}
	s.meta = m
}

// restoreMeta puts the second file back to what this run left, where it is not
// that any more. The caller holds the lock.
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

// unconsolidated returns the summary and the talk behind it.
func (s *Session) unconsolidated(ctx context.Context) (meta, []Talk, error) {
	m := s.meta
	talk, count, err := s.talkFrom(ctx, m.Cursor)
	if err != nil || m.Cursor <= count {
		return m, talk, err
	}
	// This is not the file that was summarised. The cursor must not become
	// valid again when the file has grown.
	s.opts.Log.Warn("the summary of a session stands for more lines than there are and is dropped", "session", s.name, "cursor", m.Cursor, "lines", count)
	m = meta{V: version, Told: m.Told}
	if err := s.saveMeta(m); err != nil {
		s.opts.Log.Warn("the dropped summary of a session is still saved", "session", s.name, "error", err)
	}
	talk, _, err = s.talkFrom(ctx, 0)
	return m, talk, err
}

// talkFrom returns the lines of talk but for the first skip ones, and how many
// there are in all.
func (s *Session) talkFrom(ctx context.Context, skip int) (talk []Talk, count int, err error) {
	f, err := open(s.opts.Dir, s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	s.broken.count = 0 // each reading counts anew
	r := newReader(ctx)
	err = eachLine(r, f, func(h head, content []byte, err error) error {
		if err != nil || !h.role.isTalk() {
			return s.passed(h, err)
		}
		if count++; count > skip {
			talk = append(talk, newTalk(h.role, string(r.text(content))))
		}
		return nil
	})
	return talk, count, err
}

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

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

// Past is the part of a session that is sent before a new prompt.
type Past struct {
	Summary string // replaces the talk that is not in Talk; empty for none
	Closing bool   // the oldest talk will be summarised soon
	Talk    []Talk
}

// Begin returns what of the session goes before a prompt, and appends the
// prompt to the session, unless it is empty.
func (s *Session) Begin(ctx context.Context, prompt string, summarise Summarise) (past Past, err error) {
	if c := s.opts.Consolidation; c != nil {
		past, err = s.consolidated(ctx, *c, summarise)
	} else {
		past.Talk, err = s.window(ctx, s.opts.Window)
	}
	if err != nil {
		return Past{}, fmt.Errorf("read session %s: %w", s.name, err)
	}
	s.reportBroken()
	if prompt == "" { // a run goes on with an earlier one
		return past, nil
	}
	return past, s.append(ctx, line{Role: roleUser.name, Content: prompt})
}

// window returns the last n lines of talk. Lines about tools do not count. It
// costs the end of the file, not the file.
func (s *Session) window(ctx context.Context, n int) (talk []Talk, err error) {
	if n <= 0 {
		return nil, nil
	}
	for tail := int64(readerBytes); ; tail *= 4 {
		talk, _, err = s.read(ctx, max(s.seen.size-tail, 0), 0)
		if err != nil || len(talk) >= n || tail >= s.seen.size {
			return talk[max(len(talk)-n, 0):], err
		}
	}
}

// read returns the lines of talk in the file from an offset on, but for the
// first skip ones, and how many there are with these.
func (s *Session) read(ctx context.Context, offset int64, skip int) (talk []Talk, count int, err error) {
	s.broken = Broken{}
	err = readLines(ctx, s.path(linesKind), offset, s.seen.size, func(rec *Record) {
		switch {
		case rec.broken && rec.Offset >= s.meta.Reported:
			s.broken.add(rec.Offset)
		case !rec.broken && rec.Role.isTalk():
			if count++; count > skip {
				talk = append(talk, Talk{rec.Role.speaker, clip.UTF8(string(rec.Text))})
			}
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return talk, count, err
}

// reportBroken warns of broken lines, once for good.
func (s *Session) reportBroken() {
	if s.broken.Lines == 0 {
		return
	}
	s.opts.Log.Warn("broken lines of a session are skipped", "session", s.name, "lines", s.broken.Lines, "offset", s.broken.Offsets[0])
	m := s.meta
	m.Reported = s.seen.size
	if err := s.saveMeta(m); err != nil {
		s.opts.Log.Warn("the broken lines of a session will be told of again", "session", s.name, "error", err)
	}
}

//go:embed summarise.md
var summariseText string

// Consolidation says when old talk becomes a summary.
type Consolidation struct {
	Threshold int     // how many lines of talk may stand without being summarised
	Keep      float64 // the part of Threshold that stays as it is, from 0 to 1; one line at least
}

// unsummarized returns how many lines stay when the others are summarised.
func (c Consolidation) unsummarized() int {
	// 0.29 of 100 must be 29, although the nearest binary fraction is a little
	// less.
	const rounding = 1e-9
	return max(1, int(math.Floor(float64(c.Threshold)*c.Keep+rounding)))
}

// warnAhead is how many lines before the threshold the model is warned.
const warnAhead = 2

// Summarise asks the model, by instructions, for a summary of a talk.
type Summarise func(ctx context.Context, instructions, talk string) (string, error)

// consolidated returns the summary and the talk behind it. When there is too
// much of that, it first has the older part summarised; a summary that fails,
// or cannot be saved, leaves all as it was.
func (s *Session) consolidated(ctx context.Context, limit Consolidation, summarise Summarise) (Past, error) {
	talk, count, err := s.read(ctx, 0, s.meta.Cursor)
	if err == nil && s.meta.Cursor > count {
		s.dropSummary(count)
		talk, _, err = s.read(ctx, 0, 0)
	}
	if err != nil {
		return Past{}, err
	}
	if old := len(talk) - limit.unsummarized(); len(talk) > limit.Threshold && old > 0 {
		if err := s.consolidate(ctx, talk[:old], summarise); err != nil {
			s.opts.Log.Warn("old talk of a session could not be summarised and stays as it is", "session", s.name, "error", err)
		} else {
			talk = talk[old:]
		}
	}
	return Past{Summary: s.meta.Summary, Talk: talk, Closing: len(talk) >= limit.Threshold-warnAhead}, nil
}

// dropSummary drops a summary of more lines than there are: it is that of
// another file, and its cursor must not become valid again when this one has
// grown.
func (s *Session) dropSummary(lines int) {
	s.opts.Log.Warn("the summary of a session stands for more lines than there are and is dropped", "session", s.name, "cursor", s.meta.Cursor, "lines", lines)
	m := meta{V: version, Reported: s.meta.Reported}
	if err := s.saveMeta(m); err != nil {
		s.opts.Log.Warn("the dropped summary of a session is still saved", "session", s.name, "error", err)
	}
	s.meta = m
}

// consolidate has old talk summarised, together with the summary so far, and
// saves the new one.
func (s *Session) consolidate(ctx context.Context, old []Talk, summarise Summarise) error {
	var b strings.Builder
	if s.meta.Summary != "" {
		fmt.Fprintf(&b, "SUMMARY SO FAR: %s\n\n", s.meta.Summary)
	}
	for _, t := range old {
		fmt.Fprintf(&b, "%s: %s\n\n", strings.ToUpper(string(t.speaker)), t.text)
	}
	text, err := summarise(ctx, summariseText, b.String())
	if err != nil {
		return err
	}
	return s.saveMeta(meta{V: version, Summary: s.masked(text), Cursor: s.meta.Cursor + len(old), Reported: s.meta.Reported})
}

// meta is what a session's second file holds.
type meta struct {
	V        int    `json:"v"`
	Summary  string `json:"summary"`
	Cursor   int    `json:"cursor"`         // how many lines of talk, from the first, the summary covers
	Reported int64  `json:"told,omitempty"` // size of the session up to which broken lines were reported
}

// saveMeta writes m; s holds it when it is saved.
func (s *Session) saveMeta(m meta) error {
	b, err := json.Marshal(m)
	if err == nil {
		b = append(b, '\n')
		err = file.WriteIn(s.opts.Dir, s.name+metaKind, b, fileMode)
	}
	if err != nil {
		return fmt.Errorf("save summary: %w", err)
	}
	s.meta, s.text = m, b
	return nil
}

// loadMeta reads what was saved last. A text that cannot be understood counts
// as none, since the talk itself is still complete.
func (s *Session) loadMeta() error {
	text, err := s.readMeta()
	if err != nil {
		return err
	}
	m := meta{V: version}
	if text != nil {
		m = meta{}
		err = json.Unmarshal(text, &m)
	}
	if err == nil && (m.V != version || m.Cursor < 0) {
		err = fmt.Errorf("v is %d and cursor %d", m.V, m.Cursor)
	}
	if err != nil {
		s.opts.Log.Warn("the summary of a session cannot be read and is left out", "session", s.name, "error", err)
		m = meta{V: version}
	}
	if m.Reported > s.seen.size {
		m.Reported = 0 // of another file
	}
	s.meta, s.text = m, text
	return nil
}

// readMeta returns the text of the file, nil when there is none.
func (s *Session) readMeta() ([]byte, error) {
	if err := checkRegular(s.path(metaKind)); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.path(metaKind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// restoreMeta makes the file what this run left, where it is not that any more.
// The caller holds the lock.
func (s *Session) restoreMeta() error {
	now, err := s.readMeta()
	if err != nil && !errors.Is(err, errIrregular) || err == nil && bytes.Equal(now, s.text) {
		return err
	}
	s.foreign = true
	s.opts.Log.Warn("the summary of a session is not what this run left, and is put back", "session", s.name)
	if err := os.RemoveAll(s.path(metaKind)); err != nil || s.text == nil {
		return err
	}
	return file.WriteIn(s.opts.Dir, s.name+metaKind, s.text, fileMode)
}

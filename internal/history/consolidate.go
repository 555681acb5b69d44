package history

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"
)

//go:embed summarise.md
var summariseText string

// Consolidation says when old talk becomes a summary.
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

// warnAhead is how many lines before the threshold the model is warned.
const warnAhead = 2

// Summarise asks the model, by instructions, for a summary of a talk.
type Summarise func(ctx context.Context, instructions, talk string) (string, error)

// consolidated returns the summary and the talk behind it. When there is too
// much of that, it first has the older part summarised; a summary that fails,
// or cannot be saved, leaves all as it was.
func (s *Session) consolidated(ctx context.Context, limit Consolidation, summarise Summarise) (Past, error) {
	talk, err := s.unconsolidated(ctx)
	if err != nil {
		return Past{}, err
	}
	if old := len(talk) - limit.kept(); len(talk) > limit.Threshold && old > 0 {
		if err := s.consolidate(ctx, talk[:old], summarise); err != nil {
			s.opts.Log.Warn("old talk of a session could not be summarised and stays as it is", "session", s.name, "error", err)
		} else {
			talk = talk[old:]
		}
	}
	return Past{Summary: s.meta.Summary, Talk: talk, Closing: len(talk) >= limit.Threshold-warnAhead}, nil
}

// unconsolidated returns the talk behind the summary. A summary of more lines
// than there are is dropped: it is that of another file, and its cursor must not
// become valid again when this one has grown.
func (s *Session) unconsolidated(ctx context.Context) ([]Talk, error) {
	talk, count, err := s.read(ctx, 0, s.meta.Cursor)
	if err != nil || s.meta.Cursor <= count {
		return talk, err
	}
	s.opts.Log.Warn("the summary of a session stands for more lines than there are and is dropped", "session", s.name, "cursor", s.meta.Cursor, "lines", count)
	m := meta{V: version, Reported: s.meta.Reported}
	if err := s.saveMeta(m); err != nil {
		s.opts.Log.Warn("the dropped summary of a session is still saved", "session", s.name, "error", err)
	}
	s.meta = m
	talk, _, err = s.read(ctx, 0, 0)
	return talk, err
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

package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/openagent-ci/openagent/internal/clip"
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

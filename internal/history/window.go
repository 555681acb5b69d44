package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// Past is the part of a session that is sent before a new prompt.
type Past struct {
	// Summary replaces the talk that is not in Talk; empty for none.
	Summary string
	// Closing reports that the oldest talk will be summarised soon.
	Closing bool
	Talk    []Talk
}

// Begin returns what of the session goes before a prompt, and appends the
// prompt to the session.
func (s *Session) Begin(ctx context.Context, prompt string, summarise Summarise) (past Past, err error) {
	s.loadMeta()
	if s.broken.told = s.meta.Told; s.broken.told > s.seen.size {
		s.broken.told = 0 // another file
	}
	if c := s.opts.Consolidation; c != nil {
		past, err = s.consolidated(ctx, *c, summarise)
	} else {
		past.Talk, err = s.window(ctx, s.opts.Window)
	}
	if err != nil {
		return Past{}, fmt.Errorf("read session %s: %w", s.name, err)
	}
	s.tellBroken()
	return past, s.append(ctx, line{Role: roleUser.name, Content: prompt})
}

// window returns the last lines of talk, n at most, oldest first. Lines about
// tools do not count. It reads the file from its end, no farther than needed.
func (s *Session) window(ctx context.Context, n int) ([]Talk, error) {
	if n <= 0 {
		return nil, nil
	}
	f, err := open(s.opts.Dir, s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var talk []Talk
	r := newReader(ctx)
	err = backwards(f, func(from, to int64) (bool, error) {
		r.reset(io.NewSectionReader(f, from, to-from), from)
		h, content, err := r.next()
		if err != nil || !h.role.isTalk() {
			return true, s.passed(h, err)
		}
		talk = append(talk, newTalk(h.role, string(r.text(content))))
		return len(talk) < n, nil
	})
	slices.Reverse(talk)
	return talk, err
}

// broken counts the lines that are no records and were not told of before.
type broken struct {
	told  int64 // up to which offset they were
	count int
	first int64
}

// passed counts a broken line and returns any other error.
func (s *Session) passed(h head, err error) error {
	if !errors.Is(err, errBroken) {
		return err
	}
	if b := &s.broken; h.offset >= b.told {
		if b.count++; b.count == 1 || h.offset < b.first {
			b.first = h.offset
		}
	}
	return nil
}

// tellBroken tells of the broken lines, once for good.
func (s *Session) tellBroken() {
	if s.broken.count == 0 {
		return
	}
	s.opts.Log.Warn("broken lines of a session are skipped", "session", s.name, "lines", s.broken.count, "offset", s.broken.first)
	m := s.meta
	m.Told = s.seen.size
	if err := s.saveMeta(m); err != nil {
		s.opts.Log.Warn("the broken lines of a session will be told of again", "session", s.name, "error", err)
	}
}

// backwards calls line for each line of a file, the last one first, with the
// offsets of its begin and end, until line wants no more.
func backwards(f *os.File, line func(from, to int64) (more bool, err error)) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	buf := make([]byte, readerBytes)
	for at := end; at > 0; {
		n := int(min(at, int64(len(buf))))
		at -= int64(n)
		if _, err := f.ReadAt(buf[:n], at); err != nil && err != io.EOF {
			return err
		}
		for i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0; i = bytes.LastIndexByte(buf[:i], '\n') {
			from := at + int64(i) + 1
			if from == end {
				continue
			}
			if more, err := line(from, end); err != nil || !more {
				return err
			}
			end = from
		}
	}
	if end > 0 {
		_, err = line(0, end)
	}
	return err
}

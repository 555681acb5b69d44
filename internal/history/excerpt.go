package history

import (
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/tool"
)

const (
	// shown is how many characters of a line a match shows.
	shown = 300
	// reach is how many bytes on either side of a match these can take, and
	// one more character, by which it is seen that something is cut.
	reach   = (shown + 1) * utf8.UTFMax
	cutMark = "..."
)

// show reads the lines of a hit. It returns nil for one whose session has gone
// or was written anew since it was found.
func (s *scan) show(h *hit) (*tool.HistoryMatch, error) {
	f, err := open(s.dir, h.session)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, err := s.line(f, h.head.offset, h.from, h.to)
	if err != nil || line == nil || line.Role != h.head.role.name {
		return nil, err
	}
	m := &tool.HistoryMatch{Session: h.session, TS: line.TS, Role: line.Role, Content: line.Content}
	if m.Before, err = s.line(f, h.before, 0, 0); err != nil {
		return nil, err
	}
	m.After, err = s.line(f, h.after, 0, 0)
	return m, err
}

// line reads the line at an offset, as much of it as is shown around its part
// from-to; nil for an offset below 0 and where no record stands.
func (s *scan) line(f io.ReadSeeker, offset, from, to int64) (*tool.HistoryLine, error) {
	if offset < 0 {
		return nil, nil
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	r := region{from: max(from-reach, 0), to: to + reach}
	s.reader.reset(f, offset)
	h, err := s.reader.next(&r)
	if err == errBroken || err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &tool.HistoryLine{TS: stamp(h.ts), Role: h.role.name, Content: r.excerpt(from, to)}, nil
}

// region is a sink that keeps one part of a text.
type region struct {
	from, to int64 // what is kept
	size     int64 // of the whole text
	text     []byte
}

func (r *region) begin() { r.size, r.text = 0, r.text[:0] }

func (r *region) add(piece []byte) {
	begin := min(max(r.from-r.size, 0), int64(len(piece)))
	end := min(max(r.to-r.size, 0), int64(len(piece)))
	r.text = append(r.text, piece[begin:end]...)
	r.size += int64(len(piece))
}

// excerpt returns the characters that are shown of a text whose part from-to
// is in the middle of what is kept.
func (r *region) excerpt(from, to int64) string {
	size := int64(len(r.text))
	from, to = min(max(from-r.from, 0), size), min(max(to-r.from, 0), size)
	head, middle, tail := []rune(string(r.text[:from])), []rune(string(r.text[from:to])), []rune(string(r.text[to:]))
	room := max(shown-len(middle), 0)
	if len(middle) > shown {
		middle, tail = middle[:shown], middle[shown:]
	}
	left := min(len(head), max(room/2, room-len(tail)))
	right := min(len(tail), room-left)
	text := string(head[len(head)-left:]) + string(middle) + string(tail[:right])
	if left < len(head) {
		text = cutMark + text
	}
	if right < len(tail) {
		text += cutMark
	}
	return clip.UTF8(text)
}

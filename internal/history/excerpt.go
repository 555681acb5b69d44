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
func (s *scan) line(f io.ReadSeeker, offset int64, from, to int) (*tool.HistoryLine, error) {
	if offset < 0 {
		return nil, nil
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	s.reader.reset(f, offset)
	h, content, err := s.reader.next()
	if err == errBroken || err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &tool.HistoryLine{TS: stamp(h.ts), Role: h.role.name, Content: excerpt(s.reader.text(content), from, to)}, nil
}

// excerpt returns the characters that are shown of a text around its part
// from-to.
func excerpt(text []byte, from, to int) string {
	from, to = min(from, len(text)), min(to, len(text))
	head, middle := []rune(string(text[max(from-reach, 0):from])), []rune(string(text[from:to]))
	tail := []rune(string(text[to:min(to+reach, len(text))]))
	room := max(shown-len(middle), 0)
	if len(middle) > shown {
		middle, tail = middle[:shown], middle[shown:]
	}
	left := min(len(head), max(room/2, room-len(tail)))
	right := min(len(tail), room-left)
	cut := string(head[len(head)-left:]) + string(middle) + string(tail[:right])
	if left < len(head) {
		cut = cutMark + cut
	}
	if right < len(tail) {
		cut += cutMark
	}
	return clip.UTF8(cut)
}

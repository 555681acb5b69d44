package search

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/lines"
)

const (
	// bufferBytes is how much of a file is read at once, maxLine how much of one line
	// is searched.
	bufferBytes = 64 << 10
	maxLine     = 16 << 20
	// binaryProbe is how far a NUL byte is looked for, as git does.
	binaryProbe = 8000
	// maxText bounds a line that is returned, in characters; maxBefore is what
	// it shows of the line before the match when it is cut.
	maxText   = 300
	maxBefore = 100
)

// Match is a line in which the text was found.
type Match struct {
	Path string `json:"path"`
	// Line is its number, from 1.
	Line int64 `json:"line"`
	// Text is the line, of a long one 300 characters around the match.
	Text string `json:"text"`
	// Before and After are the lines around it, as many as were asked for.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// scan is the search of one file.
type scan struct {
	*run
	path   string
	room   int // matches that are kept
	found  []Match
	total  int64
	recent []string // the last lines, as many as are shown before a match
}

// read searches the file, and reports whether it is one to search: not a binary one, and
// no private key.
func (s *scan) read(file io.Reader) (searched bool, err error) {
	s.in.Reset(&lines.Lasting{Context: s.ctx, Reader: file})
	begin, _ := s.in.Peek(bufferBytes) // an error comes again
	if bytes.IndexByte(begin[:min(len(begin), binaryProbe)], 0) >= 0 || !s.secrets && protected.BeginsKey(begin) {
		return false, nil
	}
	in := lines.NewReader(s.in, bufferBytes, maxLine)
	for n := int64(1); ; n++ {
		line, err := in.Next()
		switch {
		case err == io.EOF:
			return true, nil
		case err != nil && !errors.Is(err, lines.ErrLong):
			return false, err
		}
		s.line(n, bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}))
	}
}

// line searches line n, and shows it beside the matches that want it.
func (s *scan) line(n int64, line []byte) {
	context := s.q.opts.Context
	for i := len(s.found) - 1; i >= 0 && n-s.found[i].Line <= int64(context); i-- {
		s.found[i].After = append(s.found[i].After, s.shown(line))
	}
	if at := s.q.index(line); at >= 0 {
		if s.total++; len(s.found) < s.room {
			masked := s.q.opts.Mask(string(line)) // which can move the match or hide it
			m := Match{Path: s.path, Line: n, Text: around(masked, max(s.q.index([]byte(masked)), 0))}
			m.Before = append(m.Before, s.recent...)
			s.found = append(s.found, m)
		}
	}
	if context > 0 {
		s.recent = append(s.recent, s.shown(line))
		s.recent = s.recent[max(0, len(s.recent)-context):]
	}
}

// shown returns a line beside a match as it is returned.
func (s *scan) shown(line []byte) string { return around(s.q.opts.Mask(string(line)), 0) }

// around returns a line, and of a long one the part around a place.
func around(line string, at int) string {
	line = clip.UTF8(line)
	at = min(at, len(line))
	if len(line) <= maxText || utf8.RuneCountInString(line) <= maxText {
		return line
	}
	const dots = "..."
	begin, room := at, maxText
	for range maxBefore {
		_, size := utf8.DecodeLastRuneInString(line[:begin])
		begin -= size
	}
	lead := ""
	if begin > 0 {
		lead, room = dots, room-len(dots)
	}
	if utf8.RuneCountInString(line[begin:]) <= room {
		return lead + line[begin:]
	}
	head, _ := clip.Chars(line[begin:], room-len(dots))
	return lead + head + dots
}

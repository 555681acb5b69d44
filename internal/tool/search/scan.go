package search

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/sandbox/protected"
	"github.com/openagent-ci/openagent/internal/text/clip"
)

const (
	// minBuffer is how much of a file is read at once, maxBuffer how much of one
	// line is searched.
	minBuffer = 64 << 10
	maxBuffer = 16 << 20
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

// scanner reads one file after another.
type scanner struct {
	q   *Query
	buf []byte
	// file[:n] is in buf, from done on not searched; line is the number of the
	// line at done, from 0. ended reports that the file has no more.
	n, done int
	line    int64
	ended   bool

	path    string
	secrets bool // whether a private key is searched
	max     int  // matches that are kept
	found   []Match
	total   int64
}

// scan searches a file of which at most max matches are kept. It reports whether the
// file is one to search: not a binary one, and no private key.
func (s *scanner) scan(path string, file io.Reader, max int) (searched bool, err error) {
	if s.buf == nil || len(s.buf) > 1<<20 {
		s.buf = make([]byte, minBuffer)
	}
	*s = scanner{q: s.q, buf: s.buf, secrets: s.secrets, path: path, max: max}
	for first := true; ; first = false {
		if err := s.fill(file); err != nil {
			return false, err
		}
		begin := s.buf[:s.n]
		if first && (bytes.IndexByte(begin[:min(s.n, binaryProbe)], 0) >= 0 || !s.secrets && protected.BeginsKey(begin)) {
			return false, nil
		}
		s.lines()
		if s.ended {
			return true, nil
		}
		if err := s.shift(file); err != nil {
			return false, err
		}
	}
}

// fill reads until the buffer is full or the file at its end.
func (s *scanner) fill(file io.Reader) error {
	n, err := io.ReadFull(file, s.buf[s.n:])
	s.n += n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.ended, err = true, nil
	}
	return err
}

// shift makes room for more of the file: what was searched goes, but for the lines
// that a match may want before it. A line that fills the largest buffer was searched
// as far as it goes, and its rest is skipped.
func (s *scanner) shift(file io.Reader) error {
	from := s.done
	for range s.q.opts.Context {
		if from == 0 || s.done-from > minBuffer/2 {
			break
		}
		from = bytes.LastIndexByte(s.buf[:from-1], '\n') + 1
	}
	if from == 0 && s.n == len(s.buf) {
		if len(s.buf) < maxBuffer {
			s.buf = append(make([]byte, 0, 2*len(s.buf)), s.buf...)[:2*len(s.buf)]
			return nil
		}
		s.match(s.done, s.n)
		s.line++
		return s.skipLine(file)
	}
	s.n = copy(s.buf, s.buf[from:s.n])
	s.done -= from
	return nil
}

// skipLine drops what is in the buffer, and the file up to the end of the line.
func (s *scanner) skipLine(file io.Reader) error {
	for {
		s.n, s.done = 0, 0
		if err := s.fill(file); err != nil || s.ended && s.n == 0 {
			return err
		}
		if i := bytes.IndexByte(s.buf[:s.n], '\n'); i >= 0 {
			s.n = copy(s.buf, s.buf[i+1:s.n])
			return nil
		}
		if s.ended {
			s.n = 0
			return nil
		}
	}
}

// lines searches the whole lines in the buffer, at the end of the file also one that
// has no end.
func (s *scanner) lines() {
	end := s.n
	if !s.ended {
		end = bytes.LastIndexByte(s.buf[:s.n], '\n') + 1
	}
	counted := s.done // up to here s.line counts
	for s.done < end {
		at := s.done
		if !s.q.opts.Regex {
			i := s.q.index(s.buf[at:end])
			if i < 0 {
				break
			}
			at += i
		}
		begin := s.done + bytes.LastIndexByte(s.buf[s.done:at], '\n') + 1
		stop := end
		if i := bytes.IndexByte(s.buf[at:end], '\n'); i >= 0 {
			stop = at + i
		}
		s.line += int64(bytes.Count(s.buf[counted:begin], []byte{'\n'}))
		counted = begin
		if s.lacksContext(stop) {
			s.done = begin
			return
		}
		s.match(begin, stop)
		s.done = min(stop+1, end)
	}
	s.line += int64(bytes.Count(s.buf[counted:end], []byte{'\n'}))
	s.done = max(s.done, end)
}

// lacksContext reports whether the lines behind a match are still to be read.
func (s *scanner) lacksContext(stop int) bool {
	if s.q.opts.Context == 0 || s.ended || len(s.found) >= s.max || s.n == len(s.buf) && len(s.buf) >= maxBuffer {
		return false
	}
	return bytes.Count(s.buf[min(stop+1, s.n):s.n], []byte{'\n'}) < s.q.opts.Context
}

// match notes the line buf[begin:stop] if it is one that is looked for.
func (s *scanner) match(begin, stop int) {
	line := bytes.TrimSuffix(s.buf[begin:stop], []byte{'\r'})
	at := s.q.index(line)
	if at < 0 {
		return
	}
	s.total++
	if len(s.found) >= s.max {
		return
	}
	m := Match{Path: s.path, Line: s.line + 1, Text: s.shown(line)}
	for from := begin; from > 0 && len(m.Before) < s.q.opts.Context; {
		upper := bytes.LastIndexByte(s.buf[:from-1], '\n') + 1
		m.Before = append([]string{s.around(s.buf[upper:from-1], 0)}, m.Before...)
		from = upper
	}
	for from := stop + 1; from < s.n && len(m.After) < s.q.opts.Context; {
		end := s.n
		if i := bytes.IndexByte(s.buf[from:s.n], '\n'); i >= 0 {
			end = from + i
		}
		m.After = append(m.After, s.around(s.buf[from:end], 0))
		from = end + 1
	}
	s.found = append(s.found, m)
}

// shown returns a line that matches as it is returned. The mask can move the match
// or hide it.
func (s *scanner) shown(line []byte) string {
	masked := s.q.opts.Mask(string(line))
	return around(masked, max(s.q.index([]byte(masked)), 0))
}

// around is the same for a line beside it.
func (s *scanner) around(line []byte, at int) string {
	return around(s.q.opts.Mask(string(bytes.TrimSuffix(line, []byte{'\r'}))), at)
}

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

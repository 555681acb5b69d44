package runner

import "bytes"

// splitter cuts what is written to it into lines and keeps at most max bytes
// of each, so its memory is bounded whatever a line's length.
type splitter struct {
	max     int
	held    []byte // the beginning of a line whose end has not come
	dropped int64  // bytes of that line beyond max
	// emit gets each line with its LF, if it had one; dropped counts the bytes
	// missing before the LF. line is valid during the call.
	emit func(line []byte, dropped int64)
}

// Write never fails.
func (s *splitter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.hold(p)
			break
		}
		s.line(p[:end+1])
		p = p[end+1:]
	}
	return n, nil
}

// line takes the end of a line, LF included.
func (s *splitter) line(tail []byte) {
	if len(s.held) == 0 && len(tail) <= s.max {
		s.emit(tail, 0)
		return
	}
	s.hold(tail[:len(tail)-1])
	s.held = append(s.held, '\n')
	s.flush()
}

func (s *splitter) hold(p []byte) {
	fits := min(len(p), s.max-len(s.held))
	s.held = append(s.held, p[:fits]...)
	s.dropped += int64(len(p) - fits)
}

func (s *splitter) flush() {
	s.emit(s.held, s.dropped)
	s.held, s.dropped = s.held[:0], 0
}

// close hands out a last line that has no LF.
func (s *splitter) close() {
	if len(s.held) > 0 {
		s.flush()
	}
}

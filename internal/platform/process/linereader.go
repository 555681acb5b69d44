package process

import (
	"bytes"
	"fmt"
	"io"
)

// LineReader reads what has no line longer than a bound, and fails at one that is.
type LineReader struct {
	in   io.Reader
	max  int
	line int // bytes of the current one
}

// NewLineReader returns a LineReader of in, max bytes a line.
func NewLineReader(in io.Reader, max int) *LineReader { return &LineReader{in: in, max: max} }

// Read reads on.
func (l *LineReader) Read(b []byte) (int, error) {
	n, err := l.in.Read(b)
	if end := bytes.LastIndexByte(b[:n], '\n'); end >= 0 {
		l.line = n - end - 1
	} else {
		l.line += n
	}
	if l.line > l.max {
		return n, fmt.Errorf("it is no stream: a line is longer than %d bytes", l.max)
	}
	return n, err
}

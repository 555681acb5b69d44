// Package lines reads text line by line with a bound on the memory of each line.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// ErrLong reports a line that is longer than the bound.
var ErrLong = errors.New("line is too long")

// Reader reads the lines of a text one at a time.
type Reader struct {
	in   *bufio.Reader
	max  int
	long bytes.Buffer // a line that is longer than in's buffer
	held int64        // bytes of a long line that were read and not returned
	open bool         // the end of a long line is not read yet
}

// NewReader returns a reader of the lines of r that reads size bytes at a time and
// returns lines of at most max bytes, LF not counted.
func NewReader(r io.Reader, size, max int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, size), max: max}
}

// Next returns the next line with its LF, which the last one may lack. The line is
// valid until the next call. Of a line that is longer than the bound it returns the
// first max bytes and ErrLong, and nothing was read far beyond them; Rest skips the
// others. The error is io.EOF when there are no more lines; with any other error
// comes what was read of the line.
func (r *Reader) Next() (line []byte, err error) {
	if r.open {
		if _, err := r.Rest(); err != nil {
			return nil, err
		}
	}
	line, err = r.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long.Reset()
		for ; err == bufio.ErrBufferFull && r.long.Len()+len(line) <= r.max; line, err = r.in.ReadSlice('\n') {
			r.long.Write(line)
		}
		r.long.Write(line)
		line = r.long.Bytes()
	}
	switch {
	case len(line) > r.max && len(bytes.TrimSuffix(line, []byte{'\n'})) > r.max:
		r.held, r.open = int64(len(line)-r.max), err == bufio.ErrBufferFull
		return line[:r.max], ErrLong
	case err == io.EOF && len(line) > 0:
		err = nil
	}
	return line, err
}

// Rest skips what Next left of a long line, and returns how many bytes that was,
// with its LF.
func (r *Reader) Rest() (size int64, err error) {
	size, r.held = r.held, 0
	for r.open {
		line, err := r.in.ReadSlice('\n')
		size += int64(len(line))
		r.open = err == bufio.ErrBufferFull
		if err != nil && err != io.EOF && !r.open {
			return size, err
		}
	}
	return size, nil
}

// Lasting is a reader that ends with a context, by the cause of its end.
type Lasting struct {
	Context context.Context
	Reader  io.Reader
}

// Read reads unless the context has ended.
func (l *Lasting) Read(b []byte) (int, error) {
	if l.Context.Err() != nil {
		return 0, context.Cause(l.Context)
	}
	return l.Reader.Read(b)
}

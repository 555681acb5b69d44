package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// readerBytes is what a reader holds of a file at a time, however long a line.
const readerBytes = 64 << 10

// errBroken tells of a line that is no record; it was skipped.
var errBroken = errors.New("broken line")

// sink takes a decoded text in pieces; a piece is valid until add returns.
type sink interface {
	begin()
	add(piece []byte)
}

// head is what is known of a line besides its content.
type head struct {
	offset int64 // of the line's first byte in the file
	role   role
	ts     time.Time
}

// reader reads the lines of a session. It never holds a whole line: contents
// pass through it, so its memory does not depend on what it reads.
type reader struct {
	ctx     context.Context
	src     io.Reader
	buf     []byte
	at, end int   // what of buf is still to be read
	base    int64 // the offset of buf[0] in the file
	err     error // why no more comes
	short   short // the last key or short value
	seen    members
	out     []byte // what is decoded and not handed on yet
}

// members notes which members of a record were there.
type members struct{ v, ts, role, content bool }

func newReader(ctx context.Context) *reader {
	return &reader{ctx: ctx, buf: make([]byte, readerBytes)}
}

// reset makes the reader begin anew with src, which stands at that offset of
// the file.
func (r *reader) reset(src io.Reader, offset int64) {
	r.src, r.base, r.at, r.end, r.err = src, offset, 0, 0, nil
}

func (r *reader) offset() int64 { return r.base + int64(r.at) }

// next reads one line and gives its content, if it is a text, to the sink,
// which may be nil. At the end of the file it returns io.EOF, for a line that
// is no record errBroken with the line's offset.
func (r *reader) next(content sink) (head, error) {
	r.gatherLine()
	h := head{offset: r.offset()}
	if _, ok := r.peek(); !ok {
		return h, r.err
	}
	if r.quick(&h, content) {
		return h, nil
	}
	r.seen = members{}
	whole := r.record(&h, content)
	if whole {
		r.blank()
		c, more := r.peek()
		whole = !more || c == '\n'
	}
	r.skipLine()
	switch {
	case r.err != nil && r.err != io.EOF:
		return h, r.err
	case !whole:
		return h, errBroken
	}
	return h, nil
}

// eachLine reads a whole file and calls line for each of its lines, with the
// content in the sink and with errBroken for one that is no record. An error of
// line, or of reading, ends it.
func eachLine(r *reader, f io.Reader, content sink, line func(head, error) error) error {
	r.reset(f, 0)
	for {
		h, err := r.next(content)
		if err == io.EOF {
			return nil
		}
		if err != nil && err != errBroken {
			return err
		}
		if err := line(h, err); err != nil {
			return err
		}
	}
}

// peek returns the next byte without taking it.
func (r *reader) peek() (byte, bool) {
	if r.at == r.end && !r.fill() {
		return 0, false
	}
	return r.buf[r.at], true
}

// take returns the next byte.
func (r *reader) take() (byte, bool) {
	c, ok := r.peek()
	if ok {
		r.at++
	}
	return c, ok
}

// eat takes the next byte if it is c.
func (r *reader) eat(c byte) bool {
	if got, ok := r.peek(); !ok || got != c {
		return false
	}
	r.at++
	return true
}

// fill reads on when all of buf was taken.
func (r *reader) fill() bool {
	if r.err != nil {
		return false
	}
	if r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
		return false
	}
	r.base += int64(r.end)
	r.at, r.end = 0, 0
	for r.end == 0 && r.err == nil {
		r.end, r.err = r.src.Read(r.buf)
	}
	return r.end > 0
}

// skipLine takes everything up to the line's end.
func (r *reader) skipLine() {
	for {
		if _, ok := r.peek(); !ok {
			return
		}
		if i := bytes.IndexByte(r.buf[r.at:r.end], '\n'); i >= 0 {
			r.at += i + 1
			return
		}
		r.at = r.end
	}
}

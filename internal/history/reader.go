package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

const (
	// readerBytes is what a reader holds of a file at a time, unless a line is
	// longer.
	readerBytes = 64 << 10
	// maxLine bounds what is read of a line; a longer one counts as broken.
	maxLine = 16 << 20
	// maxDepth bounds values within values.
	maxDepth = 64
)

// errBroken tells of a line that is no record; it was skipped.
var errBroken = errors.New("broken line")

// head is what is known of a line besides its content.
type head struct {
	offset int64 // of the line's first byte in the file
	role   role
	ts     time.Time
}

// reader reads the lines of a session. It holds one at a time.
type reader struct {
	ctx     context.Context
	src     io.Reader
	buf     []byte
	at, end int   // what of buf is still to be read
	base    int64 // the offset of buf[0] in the file
	err     error // why no more comes
	decoded []byte
}

func newReader(ctx context.Context) *reader {
	return &reader{ctx: ctx, buf: make([]byte, readerBytes)}
}

// reset makes the reader begin anew with src, which stands at that offset of
// the file.
func (r *reader) reset(src io.Reader, offset int64) {
	r.src, r.base, r.at, r.end, r.err = src, offset, 0, 0, nil
}

// next reads one line. Its content is a JSON string, valid until the next call.
// At the end of the file it returns io.EOF, for a line that is no record
// errBroken with the line's offset.
func (r *reader) next() (h head, content []byte, err error) {
	offset := r.base + int64(r.at)
	line, err := r.line()
	if err == nil {
		if h, content, err = parse(line); err == nil {
			h.offset = offset
			return h, content, nil
		}
	}
	return head{offset: offset}, nil, err
}

// parse reads a line that holds one object with the members that each record
// has. Others are read over; of two with one name the last counts.
func parse(line []byte) (h head, content []byte, err error) {
	r := jsontext.Reader[[]byte]{Src: line, Room: maxDepth}
	var v, ts, role []byte
	r.Blanks()
	for name := range r.Members() {
		from := r.Pos
		r.Skip()
		switch value := line[from:r.Pos]; string(name) {
		case "v":
			v = value
		case "ts":
			ts = value
		case "role":
			role = value
		case "content":
			content = value
		}
	}
	r.Blanks()
	whole := r.Fault == jsontext.FaultNone && r.Pos == len(line)
	if !whole || string(v) != "1" || !isText(ts) || !isText(role) || !isText(content) {
		return h, nil, errBroken
	}
	known := false
	if h.role, known = roleNamed(jsontext.Unquote(role)); !known || h.ts.UnmarshalText(jsontext.Unquote(ts)) != nil {
		return h, nil, errBroken
	}
	return h, content, nil
}

func isText(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// text decodes the content of a line. It is valid until the next call.
func (r *reader) text(content []byte) []byte {
	if bytes.IndexByte(content, '\\') < 0 {
		return content[1 : len(content)-1]
	}
	r.decoded = jsontext.AppendUnquote(r.decoded[:0], content)
	return r.decoded
}

// eachLine reads a whole file and calls line for each of its lines, with
// errBroken for one that is no record. An error of line, or of reading, ends it.
func eachLine(r *reader, f io.Reader, line func(h head, content []byte, err error) error) error {
	r.reset(f, 0)
	for {
		h, content, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil && err != errBroken {
			return err
		}
		if err := line(h, content, err); err != nil {
			return err
		}
	}
}

// line returns the next line without its end.
func (r *reader) line() ([]byte, error) {
	for seen := 0; ; {
		if i := bytes.IndexByte(r.buf[r.at+seen:r.end], '\n'); i >= 0 {
			line := r.buf[r.at : r.at+seen+i]
			r.at += len(line) + 1
			if len(line) > maxLine {
				return nil, errBroken
			}
			return line, nil
		}
		seen = r.end - r.at
		switch {
		case seen > maxLine:
			return nil, r.skipLine()
		case r.err == io.EOF && seen > 0:
			line := r.buf[r.at:r.end]
			r.at = r.end
			return line, nil
		case r.err != nil:
			return nil, r.err
		}
		r.fill()
	}
}

// skipLine takes everything up to the end of a line that is too long.
func (r *reader) skipLine() error {
	for {
		if i := bytes.IndexByte(r.buf[r.at:r.end], '\n'); i >= 0 {
			r.at += i + 1
			return errBroken
		}
		r.at = r.end
		if r.err == io.EOF {
			return errBroken
		}
		if r.err != nil {
			return r.err
		}
		r.fill()
	}
}

// fill reads on behind what is still to be read, for which the buffer grows.
func (r *reader) fill() {
	if r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
		return
	}
	r.base += int64(r.at)
	r.end = copy(r.buf, r.buf[r.at:r.end])
	r.at = 0
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	var n int
	n, r.err = r.src.Read(r.buf[r.end:])
	r.end += n
}

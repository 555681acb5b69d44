package history

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

const (
	// readerBytes is how much of a file is read at a time.
	readerBytes = 64 << 10
	// maxLine is the most bytes of a line; a longer one counts as broken.
	maxLine = 16 << 20
	// maxDepth is how deep the values of a line may nest.
	maxDepth = 64
)

// record is one line of a session as it was read.
type record struct {
	offset  int64 // of the line's first byte in the file
	broken  bool  // the line is no record, and only its offset is set
	role    role
	ts      time.Time
	content []byte // a JSON string, valid until the next line is read
}

// parse reads a line that holds one object with the members that every record
// has. Other members are skipped; of two with one name the last counts.
func parse(line []byte) record {
	r := jsontext.Reader[[]byte]{Src: line, Room: maxDepth}
	var v, ts, role, content []byte
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
	if !whole || string(v) != "1" || !isString(ts) || !isString(role) || !isString(content) {
		return record{broken: true}
	}
	rec := record{content: content}
	var known bool
	if rec.role, known = roleNamed(jsontext.Unquote(role)); !known || rec.ts.UnmarshalText(jsontext.Unquote(ts)) != nil {
		return record{broken: true}
	}
	return rec
}

// isString reports whether a JSON value is a string.
func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// reader reads the lines of files one at a time; its memory serves one file
// after the other.
type reader struct {
	src     *bufio.Reader
	long    bytes.Buffer // a line that is longer than src's buffer
	decoded []byte
}

func newReader() *reader { return &reader{src: bufio.NewReaderSize(nil, readerBytes)} }

// each calls do for every line of src, which stands at an offset of its file.
// It returns the first error of do or of reading, or why ctx ended.
func (r *reader) each(ctx context.Context, src io.Reader, offset int64, do func(record) error) error {
	r.src.Reset(contextReader{ctx, src})
	for {
		line, size, err := r.line()
		if err == io.EOF && size == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		rec := parse(line)
		rec.offset = offset
		if err := do(rec); err != nil {
			return err
		}
		offset += size
	}
}

// line returns the next line without its end, and its size with it. Of a line
// longer than maxLine it returns nothing but the size.
func (r *reader) line() (line []byte, size int64, err error) {
	line, err = r.src.ReadSlice('\n')
	size = int64(len(line))
	for r.long.Reset(); err == bufio.ErrBufferFull; size += int64(len(line)) {
		if r.long.Len() <= maxLine {
			r.long.Write(line)
		}
		line, err = r.src.ReadSlice('\n')
	}
	if r.long.Len() > 0 {
		r.long.Write(line)
		line = r.long.Bytes()
	}
	if line = bytes.TrimSuffix(line, []byte{'\n'}); len(line) > maxLine {
		line = nil
	}
	return line, size, err
}

// text decodes the content of a record. The result is valid until the next
// line is read or the next text decoded.
func (r *reader) text(content []byte) []byte {
	if bytes.IndexByte(content, '\\') < 0 {
		return content[1 : len(content)-1]
	}
	r.decoded = jsontext.AppendUnquote(r.decoded[:0], content)
	return r.decoded
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

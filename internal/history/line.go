package history

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// version is that of a line's form, its member v.
const version = 1

// line is one line of a session's file as it is written.
type line struct {
	V          int    `json:"v"`
	TS         string `json:"ts"`
	Session    string `json:"session"`
	RunID      string `json:"run_id"`
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	Tool       string `json:"tool,omitempty"`
}

// stamp returns t as the member ts.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// role says whose line it is. No role of a message can be made of it: the lines
// about tool calls are there to be found again, never to be sent.
type role struct{ name string }

// The roles of lines. System and tool lines are not written here; other
// writers may.
var (
	roleSystem     = role{"system"}
	roleUser       = role{"user"}
	roleAssistant  = role{"assistant"}
	roleTool       = role{"tool"}
	roleToolCall   = role{"tool_call"}
	roleToolResult = role{"tool_result"}
)

// roleNamed returns the role of that name.
func roleNamed(name []byte) (role, bool) {
	for _, r := range [...]role{roleUser, roleAssistant, roleToolCall, roleToolResult, roleSystem, roleTool} {
		if string(name) == r.name {
			return r, true
		}
	}
	return role{}, false
}

// isTalk reports whether people or the model speak: what a window counts.
func (r role) isTalk() bool { return r == roleUser || r == roleAssistant }

// isSearched reports whether a search looks at lines of the role and shows them.
func (r role) isSearched() bool { return r.isTalk() || r == roleToolCall || r == roleToolResult }

// Talk is what a person or the model said: the only kind of line that a message
// can be made of.
type Talk struct {
	speaker chat.Role
	text    string
}

// newTalk returns a line of talk of the role.
func newTalk(r role, text []byte) Talk {
	t := Talk{chat.RoleUser, clip.UTF8(string(text))}
	if r == roleAssistant {
		t.speaker = chat.RoleAssistant
	}
	return t
}

// Message returns t as a message of its speaker.
func (t Talk) Message() *chat.Message { return &chat.Message{Role: t.speaker, Content: t.text} }

const (
	readerBytes = 64 << 10 // of a file are read at a time
	maxLine     = 16 << 20 // bytes of a line; a longer one counts as broken
	maxDepth    = 64       // of the values of a line
)

// record is one line of a session as it was read.
type record struct {
	offset  int64 // of the line's first byte in the file
	broken  bool  // the line is no record, and nothing else is set
	role    role
	ts      time.Time
	content []byte // a JSON string
	decoded []byte // memory for text
}

// text returns the decoded content, valid until the next line is read.
func (r *record) text() []byte {
	if bytes.IndexByte(r.content, '\\') < 0 {
		return r.content[1 : len(r.content)-1]
	}
	r.decoded = jsontext.AppendUnquote(r.decoded[:0], r.content)
	return r.decoded
}

// parse reads a line that holds one object with the members that every record
// has. Other members are skipped; of two with one name the last counts.
func (r *record) parse(line []byte) {
	in := jsontext.Reader[[]byte]{Src: line, Room: maxDepth}
	var v, ts, role, content []byte
	in.Blanks()
	for name := range in.Members() {
		from := in.Pos
		in.Skip()
		switch value := line[from:in.Pos]; string(name) {
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
	in.Blanks()
	whole := in.Fault == jsontext.FaultNone && in.Pos == len(line)
	r.broken = !whole || string(v) != "1" || !isString(ts) || !isString(role) || !isString(content)
	if r.broken {
		return
	}
	var known bool
	r.role, known = roleNamed(jsontext.Unquote(role))
	r.content = content
	r.broken = !known || r.ts.UnmarshalText(jsontext.Unquote(ts)) != nil
}

// isString reports whether a JSON value is a string.
func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// readLines calls do for each line of a file from an offset to an end.
func readLines(ctx context.Context, path string, offset, end int64, do func(*record)) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := reader{src: bufio.NewReaderSize(contextReader{ctx, io.NewSectionReader(f, offset, end-offset)}, readerBytes)}
	return r.each(offset, do)
}

// reader reads lines one at a time.
type reader struct {
	src  *bufio.Reader
	long bytes.Buffer // a line that is longer than src's buffer
}

// each calls do for each line of src, which stands at an offset of its file.
func (r *reader) each(offset int64, do func(*record)) error {
	var rec record
	for {
		line, size, err := r.line()
		if err == io.EOF && size == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		rec.offset = offset
		rec.parse(line)
		do(&rec)
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

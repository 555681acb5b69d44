package history

import (
	"bytes"
	"context"
	"io"
	"math"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/lines"
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

// Role says whose line it is; the zero value nobody's. No role of a message can be made of it: the lines
// about tool calls are there to be found again, never to be sent.
type Role struct{ name string }

// The roles of lines. System and tool lines are not written here; other
// writers may.
var (
	roleSystem     = Role{"system"}
	roleUser       = Role{"user"}
	roleAssistant  = Role{"assistant"}
	roleTool       = Role{"tool"}
	roleToolCall   = Role{"tool_call"}
	roleToolResult = Role{"tool_result"}
)

// String returns the name of the role.
func (r Role) String() string { return r.name }

// roleNamed returns the role of that name.
func roleNamed(name []byte) (Role, bool) {
	for _, r := range [...]Role{roleUser, roleAssistant, roleToolCall, roleToolResult, roleSystem, roleTool} {
		if string(name) == r.name {
			return r, true
		}
	}
	return Role{}, false
}

// isTalk reports whether people or the model speak: what a window counts.
func (r Role) isTalk() bool { return r == roleUser || r == roleAssistant }

// IsSearched reports whether a search looks at lines of the role and shows them.
func (r Role) IsSearched() bool { return r.isTalk() || r == roleToolCall || r == roleToolResult }

// Talk is what a person or the model said: the only kind of line that a message
// can be made of.
type Talk struct {
	speaker chat.Role
	text    string
}

// newTalk returns a line of talk of the role.
func newTalk(r Role, text []byte) Talk {
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

// Record is one line of a session as it was read.
type Record struct {
	Offset  int64 // of the line's first byte in the file
	Broken  bool  // the line is no record, and nothing else is set
	Role    Role
	TS      time.Time
	content []byte // a JSON string
	decoded []byte // memory for Text
}

// Text returns the content, valid until the next line is read.
func (r *Record) Text() []byte {
	if bytes.IndexByte(r.content, '\\') < 0 {
		return r.content[1 : len(r.content)-1]
	}
	r.decoded = jsontext.AppendUnquote(r.decoded[:0], r.content)
	return r.decoded
}

// parse reads a line that holds one object with the members that every record
// has. Other members are skipped; of two with one name the last counts.
func (r *Record) parse(line []byte) {
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
	r.Broken = !whole || string(v) != "1" || !isString(ts) || !isString(role) || !isString(content)
	if r.Broken {
		return
	}
	var known bool
	r.Role, known = roleNamed(jsontext.Unquote(role))
	r.content = content
	r.Broken = !known || r.TS.UnmarshalText(jsontext.Unquote(ts)) != nil
}

// isString reports whether a JSON value is a string.
func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

// Read calls do for each line of a session in a folder.
func Read(ctx context.Context, dir, session string, do func(*Record)) error {
	return readLines(ctx, File(dir, session), 0, math.MaxInt64, do)
}

// readLines calls do for each line of a file from an offset to an end.
func readLines(ctx context.Context, path string, offset, end int64, do func(*Record)) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := lines.NewReader(&lines.Lasting{Context: ctx, Reader: io.NewSectionReader(f, offset, end-offset)}, int(min(readerBytes, end-offset)), maxLine)
	return eachRecord(in, offset, do)
}

// eachRecord calls do for each line, of which the first begins at an offset of its
// file.
func eachRecord(in *lines.Reader, offset int64, do func(*Record)) error {
	var rec Record
	for {
		line, err := in.Next()
		size := int64(len(line))
		if err == lines.ErrLong {
			var rest int64
			rest, err = in.Rest()
			line, size = nil, size+rest
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		rec.Offset = offset
		rec.parse(bytes.TrimSuffix(line, []byte{'\n'}))
		do(&rec)
		offset += size
	}
}

package history

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"time"

	"github.com/openagent-ci/openagent/internal/adapter/raw"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/lines"
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
type Role struct {
	name    string
	speaker chat.Role // of a message with the line; empty for one that is never sent
}

// The roles of lines. System and tool lines are not written here; other
// writers may.
var (
	roleSystem     = Role{name: "system"}
	roleUser       = Role{"user", chat.RoleUser}
	roleAssistant  = Role{"assistant", chat.RoleAssistant}
	roleTool       = Role{name: "tool"}
	roleToolCall   = Role{name: "tool_call"}
	roleToolResult = Role{name: "tool_result"}
)

// String returns the name of the role.
func (r Role) String() string { return r.name }

// roleNamed returns the role of that name.
func roleNamed(name string) (Role, bool) {
	for _, r := range [...]Role{roleUser, roleAssistant, roleToolCall, roleToolResult, roleSystem, roleTool} {
		if name == r.name {
			return r, true
		}
	}
	return Role{}, false
}

// isTalk reports whether people or the model speak: what a window counts.
func (r Role) isTalk() bool { return r.speaker != "" }

// IsSearched reports whether a search looks at lines of the role and shows them.
func (r Role) IsSearched() bool { return r.isTalk() || r == roleToolCall || r == roleToolResult }

// Talk is what a person or the model said: the only kind of line that a message
// can be made of.
type Talk struct {
	speaker chat.Role
	text    string
}

// Message returns t as a message of its speaker.
func (t Talk) Message() *chat.Message { return &chat.Message{Role: t.speaker, Content: t.text} }

const (
	readerBytes = 64 << 10 // of a file are read at a time
	maxLine     = 16 << 20 // bytes of a line; a longer one counts as broken
)

// Record is one line of a session as it was read.
type Record struct {
	Offset int64 // of the line's first byte in the file
	Role   Role
	TS     time.Time
	Text   []byte // valid until the next line is read
	broken bool   // the line is no record, and only Offset says something
}

// parse reads a line and reports whether it is a record: one object with the members
// that every record has. Other members are skipped; of two with one name the last
// counts.
func (r *Record) parse(line []byte) bool {
	o, why := raw.Read(line)
	content := o.Get("content")
	if why != "" || string(o.Get("v")) != "1" || !content.Is('"') {
		return false
	}
	r.Text = append(r.Text[:0], content.Text()...)
	var known bool
	r.Role, known = roleNamed(o.Str("role"))
	return known && r.TS.UnmarshalText([]byte(o.Str("ts"))) == nil
}

// MaxPlaces is how many broken lines are named one by one.
const MaxPlaces = 20

// Broken is a session with lines that are no records.
type Broken struct {
	Session string
	Lines   int64
	Offsets []int64 // of the first, MaxPlaces at most
}

// add counts a broken line.
func (b *Broken) add(offset int64) {
	if b.Lines++; b.Lines <= MaxPlaces {
		b.Offsets = append(b.Offsets, offset)
	}
}

// Read calls do for each record of a session in a folder.
func Read(ctx context.Context, dir, session string, do func(*Record)) (Broken, error) {
	broken := Broken{Session: session}
	err := readLines(ctx, File(dir, session), 0, math.MaxInt64, func(rec *Record) {
		if rec.broken {
			broken.add(rec.Offset)
			return
		}
		do(rec)
	})
	return broken, err
}

// readLines calls do for each line of a file that begins from an offset on and before
// an end.
func readLines(ctx context.Context, path string, offset, end int64, do func(*Record)) error {
	if err := checkRegular(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := lines.NewReader(&lines.Lasting{Context: ctx, Reader: io.NewSectionReader(f, offset, end-offset)}, int(min(readerBytes, end-offset)), maxLine)
	return eachRecord(in, offset, do)
}

// eachRecord calls do for each line of what begins at an offset of its file. What comes
// first there is the end of a line, unless it is the first of the file.
func eachRecord(in *lines.Reader, begin int64, do func(*Record)) error {
	var rec Record
	for offset, size := begin, int64(0); ; offset += size {
		line, err := in.Next()
		size = int64(len(line))
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
		if offset == begin && begin > 0 {
			continue
		}
		rec.Offset, rec.broken = offset, !rec.parse(bytes.TrimSuffix(line, []byte{'\n'}))
		do(&rec)
	}
}

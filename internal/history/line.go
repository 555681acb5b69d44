package history

import (
	"bytes"
	"fmt"
	"time"

	"github.com/openagent-ci/openagent/internal/chat"
	"github.com/openagent-ci/openagent/internal/clip"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

// version is that of a line's form, its member v.
const version = 1

// role says whose line it is. It is a type without a text of its own, so that
// no role of a message to a model can be made of it: the lines about tool
// calls are there to be found again, never to be sent.
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

// Talk is what a person or the model said. It is the only kind of line that a
// message can be made of.
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

// line is one line of a session's file.
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

// encode returns lines as they stand in the file, each with its end.
func encode(lines []line) ([]byte, error) {
	var b bytes.Buffer
	for _, l := range lines {
		if err := jsontext.Write(&b, l); err != nil {
			return nil, fmt.Errorf("encode line: %w", err)
		}
	}
	return b.Bytes(), nil
}

// stamp returns t as the member ts.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

package recall

import (
	"os"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/history"
	"github.com/openagent-ci/openagent/internal/jsontext"
)

var noon = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// The names of the roles that lines have.
const (
	roleSystem     = "system"
	roleUser       = "user"
	roleAssistant  = "assistant"
	roleTool       = "tool"
	roleToolCall   = "tool_call"
	roleToolResult = "tool_result"
)

// lineOf returns a line as it stands in a session, with its end.
func lineOf(t testing.TB, at time.Time, role, content string) string {
	t.Helper()
	b, err := jsontext.Marshal(struct {
		V       int       `json:"v"`
		TS      time.Time `json:"ts"`
		Session string    `json:"session"`
		RunID   string    `json:"run_id"`
		Role    string    `json:"role"`
		Content string    `json:"content"`
	}{1, at.UTC(), "s", "r", role, content})
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// put makes the file of a session.
func put(t testing.TB, dir, session, content string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(history.File(dir, session), []byte(content), 0o600))
}

// must fails the test for an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package history

import (
	"os"
	"testing"
	"time"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

var day = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// The names of the roles that lines have.
const (
	nameSystem     = "system"
	nameUser       = "user"
	nameAssistant  = "assistant"
	nameTool       = "tool"
	nameToolCall   = "tool_call"
	nameToolResult = "tool_result"
)

// lineOf returns a line as it stands in a session, with its end.
func recordOf(t testing.TB, at time.Time, role, content string) string {
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
func store(t testing.TB, dir, session, content string) {
	t.Helper()
	noError(t, os.MkdirAll(dir, 0o700))
	noError(t, os.WriteFile(File(dir, session), []byte(content), 0o600))
}

// must fails the test for an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

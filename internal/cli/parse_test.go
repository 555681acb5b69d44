package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/agent/session"
	"github.com/openagent-ci/openagent/internal/model/toolcall"
)

// parseText runs the command parse over a text.
func parseText(t *testing.T, text string, args ...string) toolcall.Document {
	t.Helper()
	status, stdout, stderr := runLine(text, append([]string{"dev", "parse"}, args...)...)
	if status != StatusOK || stderr != "" {
		t.Fatalf("parse of %.60q: status %d, %s", text, status, stderr)
	}
	var p toolcall.Document
	if err := json.Unmarshal([]byte(stdout), &p); err != nil {
		t.Fatalf("parse of %.60q printed %.200s: %v", text, stdout, err)
	}
	return p
}

// Bare objects call known tools only, so that one shows whether a tool is.
func TestParse_FindsEveryTool(t *testing.T) {
	for _, name := range session.ToolNames() {
		text := fmt.Sprintf(`{"tool": %q, "arguments": {}}`, name)
		if p := parseText(t, text); len(p.Calls) != 1 || p.Calls[0].Tool != name {
			t.Errorf("parse of %s = %+v, want its call", text, p)
		}
		if p := parseText(t, text, "--tools", "other"); len(p.Calls) != 0 || p.Leftover != text {
			t.Errorf("parse --tools other of %s = %+v, want text", text, p)
		}
	}
}

// A tool without parameters needs no more than its name, and parameters are
// not read from beside the arguments; both take the descriptions of the tools.
func TestParse_FindsTheParameters(t *testing.T) {
	if p := parseText(t, `TOOL_CALL: {"tool": "git_status", "arguments": {`); len(p.Calls) != 1 {
		t.Errorf("parse of a call of git_status without its closers = %+v, want the call", p)
	}
	for _, text := range []string{
		`TOOL_CALL: {"tool": "list_files", "arguments": {`, `TOOL_CALL: {"tool": "list_files", "arguments": {}, "path": "src"}`,
		`TOOL_CALL: {"tool": "execute_command", "arguments": {"command": "make clean"}, "workdir": "old"}`,
	} {
		if p := parseText(t, text); len(p.Calls) != 0 {
			t.Errorf("parse of %s = %+v, want no call", text, p)
		}
	}
}

func TestParse_Bounds(t *testing.T) {
	t.Parallel()
	head := `TOOL_CALL: {"tool": "write_file", "arguments": {"path": "a", "content": "`
	whole := head + strings.Repeat("x", toolcall.MaxBytes-len(head)-len(`"}}`)) + `"}}`
	if p := parseText(t, whole); len(p.Calls) != 1 || p.Leftover != "" {
		t.Errorf("parse of 16 MiB: %d calls, %d bytes left, want the call", len(p.Calls), len(p.Leftover))
	}
	if p := parseText(t, whole+"\n"); len(p.Calls) != 0 || len(p.Malformed) != 1 || p.Malformed[0].Reason != "message_too_large" {
		t.Errorf("parse of more than 16 MiB: %d calls, malformed %v, want none", len(p.Calls), p.Malformed)
	}
	if p := parseText(t, "\xff{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a\xff\"}}\xfe"); len(p.Calls) != 1 || p.Leftover != "\ufffd\ufffd" {
		t.Errorf("parse of broken UTF-8 = %+v, want the call", p)
	}
}

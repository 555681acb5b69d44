package toolcall

import (
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// A call that was cut is only counted as incomplete, and no list is null.
func TestDocument_JSON(t *testing.T) {
	for text, want := range map[string]string{
		"hello": `{"calls":[],"leftover_text":"hello","incomplete":false,"malformed":[]}`,
		`TOOL_CALL: {"tool": "read_file", "arguments": {"path": "a`: `{"calls":[],"leftover_text":"TOOL_CALL: {\"tool\": \"read_file\", \"arguments\": {\"path\": \"a","incomplete":true,"malformed":[]}`,
		`TOOL_CALL: {"tool": 1, "arguments": {}}`:                   `{"calls":[],"leftover_text":"TOOL_CALL: {\"tool\": 1, \"arguments\": {}}","incomplete":false,"malformed":[{"offset":11,"reason":"name_not_string"}]}`,
		`TOOL_CALL: {"tool": "read_file", "arguments": {"path": "a"}}`: `{"calls":[{"tool":"read_file","arguments":{"path":"a"},"source":"marker","repaired":false,"repairs":[],"status":"complete","offset":11}],` +
			`"leftover_text":"","incomplete":false,"malformed":[]}`,
	} {
		r := Parse(text, Options{Tools: []chat.ToolSpec{{Name: "read_file"}}, FinishReason: "stop"})
		if got, err := jsontext.Marshal(r.Document()); err != nil || string(got) != want {
			t.Errorf("document of %s = %s, %v, want %s", text, got, err, want)
		}
	}
}

package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/toolresult"
)

// ask calls the tool as an agent does and returns what the model sees.
func ask(t *testing.T, dir, arguments string) (tool.Result, string) {
	t.Helper()
	search := Tool(dir, event.NewFixedClock(noon))
	prepared, refused := search.Prepare(json.RawMessage(arguments))
	var out tool.Output
	if refused != nil {
		out = tool.Failed(refused)
	} else {
		out = prepared.Run(t.Context(), tool.Call{})
	}
	res := toolresult.Project(tool.Call{}, search.Spec.Name, out, toolresult.Options{})
	return res, toolresult.Render(res, toolresult.Options{})
}

func TestTool_Answers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "s", lineOf(t, noon.AddDate(0, 0, -9), roleUser, "needle one")+lineOf(t, noon, roleUser, "needle two"))
	for _, c := range []struct{ arguments, want string }{
		{`{"query": "NEEDLE", "days": "1"}`, "## Match 1 — Session: s | 2026-03-03 12:00\n\nUSER: needle one\n**USER: needle two**\n---"},
		{`{"query": "one", "days": -1, "max_results": 1000}`, "## Match 1 — Session: s | 2026-02-22 12:00\n\n**USER: needle one**\nUSER: needle two\n---"},
		{`{"query": " it's not there "}`, "No matches found for 'it's not there'."},
		{`{"query": ""}`, "Error (invalid_tool_input): query is required"},
		{`{"query": " \n"}`, "Error (invalid_tool_input): query is required"},
		{`{}`, `Error (invalid_tool_input): argument "query" is required`},
		{`{"query": "x", "limit": 3}`, `Error (invalid_tool_input): argument "limit" is unknown`},
	} {
		if _, text := ask(t, dir, c.arguments); !strings.HasPrefix(text, c.want) {
			t.Errorf("search_history(%s) =\n%s\nwant\n%s", c.arguments, text, c.want)
		}
	}
}

func TestTool_UnreadableSession(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "s", "")
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	res, text := ask(t, filepath.Join(dir, "file"), `{"query": "x"}`)
	if res.Error == nil || res.Error.Kind != tool.KindIO || !strings.HasPrefix(text, "Error (io_error): list sessions: ") {
		t.Errorf("search_history in a file = %s, want an error that says so", text)
	}
}

func TestTool_RangesAreClamped(t *testing.T) {
	prepared, refused := Tool(t.TempDir(), event.NewClock()).Prepare(json.RawMessage(`{"query": "x", "days": -4, "max_results": "99"}`))
	if want := `{"query":"x","days":0,"max_results":50}`; refused != nil || string(prepared.Arguments) != want {
		t.Errorf("Prepare(...) = %s, %v, want %s", prepared.Arguments, refused, want)
	}
}

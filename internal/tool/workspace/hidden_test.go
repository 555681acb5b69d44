package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// Evidence of earlier runs looks empty to file tools, as it does to commands, and
// cannot be changed, by a link neither.
func TestWorkspace_HidesRecordsOfRuns(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Hidden = []string{filepath.Join(o.Root, "out"), filepath.Join(o.Root, "later", "out"), o.Root, filepath.Dir(o.Root)}
	})
	b.put("ws/out/run/events.jsonl", "found")
	b.put("ws/seen", "found")
	b.link("out/run", "way")
	for _, name := range []string{"out/run/events.jsonl", "way/events.jsonl", "./out/../out/run/events.jsonl"} {
		for which, args := range map[string]m{
			"read_file": {"path": name}, "search_files": {"path": name, "query": "found"}, "list_files": {"path": name},
			"execute_command": {"command": "true", "workdir": "out/run"},
		} {
			b.refused(tool.KindNotFound, which, args)
		}
		for which, args := range map[string]m{
			"write_file": {"path": name, "content": "x"}, "edit_file": {"path": name, "old_text": "found", "new_text": "x"},
			"delete_file": {"path": name}, "create_directory": {"path": filepath.ToSlash(filepath.Dir(name)) + "/new"},
		} {
			b.refused(tool.KindProtectedPath, which, args)
		}
	}
	b.refused(tool.KindProtectedPath, "write_file", m{"path": "later/out/x", "content": "x"})
	b.refused(tool.KindNotFound, "execute_command", m{"command": "true", "workdir": "out"})
	for which, args := range map[string]m{
		"list_files": {"recursive": true}, "search_files": {"query": "found"}, "get_workspace_summary": {},
	} {
		_, text := b.call(b.ctx, which, args)
		if strings.Contains(text, "events.jsonl") || strings.Contains(text, "out/run") || !strings.Contains(text, "seen") {
			t.Errorf("%s = %s, want what is not hidden alone", which, text)
		}
	}
	if _, text := b.call(b.ctx, "list_files", m{"path": "out"}); !strings.Contains(text, "no entries") {
		t.Errorf("list_files(out) = %s, want it empty", text)
	}
	if got := b.get("ws/out/run/events.jsonl"); got != "found" {
		t.Errorf("the file holds %q, want it as it was", got)
	}
}

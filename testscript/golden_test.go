package testscript_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/workspace"
	"github.com/openagent-ci/openagent/schema"
	"github.com/openagent-ci/openagent/testscript"
)

const goldenRuns = "../golden/runs"

// TestGoldenRuns runs what a reader of the golden runs would run.
func TestGoldenRuns(t *testing.T) {
	t.Parallel()
	testscript.Run(t, filepath.FromSlash(goldenRuns))
}

// goldenEvents returns the events of all golden runs, by the run's name.
func goldenEvents(t *testing.T) map[string][]schema.Event {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(goldenRuns), "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	events := map[string][]schema.Event{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(archive.Comment, []byte("# ")) {
			t.Errorf("%s begins with %.20q, want a comment that says why it is there", path, archive.Comment)
		}
		for _, f := range archive.Files {
			if f.Name != "want.jsonl" {
				continue
			}
			for line := range bytes.Lines(f.Data) {
				var e schema.Event
				if err := json.Unmarshal(line, &e); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				events[name] = append(events[name], e)
			}
		}
		if events[name] == nil {
			t.Errorf("%s has no want.jsonl", path)
		}
	}
	return events
}

// TestGoldenRuns_CoverTheContract: one run for each exit reason, one for each
// type of event, and for each tool one in which it succeeds and one in which it
// does not.
func TestGoldenRuns_CoverTheContract(t *testing.T) {
	found := map[string]bool{}
	events := goldenEvents(t)
	for name, list := range events {
		for _, e := range list {
			data, _ := e.Data.(map[string]any)
			found["type "+string(e.Type)] = true
			if reason, ok := data["exit_reason"].(string); ok && strings.HasPrefix(name, "exit_"+reason) {
				found["exit "+reason] = true
			}
			if tool, ok := data["tool"].(string); ok && e.Type == schema.TypeToolExecFinished && strings.HasPrefix(name, "tool_") {
				if status, _ := data["status"].(string); status != "" {
					found["tool "+tool+" "+status] = true
				}
			}
		}
	}
	var want []string
	for _, reason := range []string{
		schema.ExitOK, schema.ExitPreRunError, schema.ExitProviderError, schema.ExitMaxSteps, schema.ExitBudgetExceeded,
		schema.ExitTimeout, schema.ExitDenied, schema.ExitBlocked, schema.ExitCancelled, schema.ExitInternalError, schema.ExitOutputInvalid,
	} {
		want = append(want, "exit "+reason)
	}
	for _, typ := range schema.Types() {
		want = append(want, "type "+string(typ))
		if !slices.ContainsFunc(names(events), func(name string) bool { return strings.HasPrefix(name, "event_"+string(typ)) }) {
			t.Errorf("no golden run is called event_%s", typ)
		}
	}
	for _, spec := range append(workspace.Specs(), tool.Spec{Name: "search_history"}) {
		want = append(want, "tool "+spec.Name+" success")
		if spec.Name != "get_workspace_summary" && spec.Name != "write_file" { // of these only a broken disk makes an error
			want = append(want, "tool "+spec.Name+" error")
		}
	}
	for _, w := range want {
		if !found[w] {
			t.Errorf("no golden run has: %s", w)
		}
	}
}

func names(events map[string][]schema.Event) []string {
	var list []string
	for name := range events {
		list = append(list, name)
	}
	return list
}

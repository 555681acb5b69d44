package tool

import (
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/jsontext"
)

// The names and the order of the members are what records and other programs
// rely on.
func TestPayloads_Members(t *testing.T) {
	size, next, status, index := int64(3), int64(2), int64(1), 0
	text, signal, sum := "x", "SIGKILL", "ab"
	for _, test := range []struct {
		name    string
		payload any
		want    string
	}{
		{"list", FileList{Path: ".", Entries: []Entry{{"a", EntryFile, &size}, {"d", EntryDir, nil}}, Truncated: true, Total: 9},
			`{"path":".","entries":[{"path":"a","type":"file","bytes":3},{"path":"d","type":"dir"}],"truncated":true,"total":9}`},
		{"file", FilePreview{Path: "f", Bytes: 3, Lines: 2, ContentPreview: "x\n", Truncated: true, NextOffsetLine: &next, SHA256: &sum},
			`{"path":"f","bytes":3,"lines":2,"content_preview":"x\n","truncated":true,"next_offset_line":2,"binary":false,"sha256":"ab"}`},
		{"file without", FilePreview{Path: "f", Binary: true},
			`{"path":"f","bytes":0,"lines":0,"content_preview":"","truncated":false,"next_offset_line":null,"binary":true,"sha256":null}`},
		{"written", FileWritten{Path: "f", Bytes: 3, Created: true, SHA256: "ab"},
			`{"path":"f","bytes":3,"created":true,"sha256":"ab"}`},
		{"commit", Commit{Commit: "c", Branch: "main", Files: []string{"f"}, Summary: "s"},
			`{"commit":"c","branch":"main","files":["f"],"summary":"s","truncated":false,"total":0}`},
		{"folder", FolderCreated{Path: "d", Created: true}, `{"path":"d","created":true}`},
		{"deleted", FileDeleted{Path: "f", Bytes: 3}, `{"path":"f","bytes":3}`},
		{"status", GitStatus{Branch: "main", Upstream: &text, Ahead: 1, Entries: []StatusEntry{{"b", "a", "R", " "}, {"c", "", "?", "?"}}, Total: 2},
			`{"branch":"main","upstream":"x","ahead":1,"behind":0,"clean":false,"entries":[{"path":"b","orig_path":"a","index":"R","worktree":" "},` +
				`{"path":"c","index":"?","worktree":"?"}],"truncated":false,"total":2}`},
		{"summary", WorkspaceSummary{Name: "w", Files: 1, Languages: []Language{{"Go", 1, 3}}, KeyFiles: []string{"go.mod"}, Git: &GitState{"main", true}, Tree: []Entry{}},
			`{"name":"w","files":1,"dirs":0,"bytes":0,"languages":[{"name":"Go","files":1,"bytes":3}],"key_files":["go.mod"],` +
				`"git":{"branch":"main","clean":true},"tree":[],"truncated":false}`},
		{"promotion", TaskPromotion{Disposition: CommandPromoted, TaskHandle: TaskHandle{"task_1_0", TaskKind}},
			`{"disposition":"promoted_to_task","task_handle":{"task_id":"task_1_0","kind":"command_task"},` +
				`"initial_output_preview":null,"initial_output_truncated":false}`},
		{"task", TaskReport{RetrievalStatus: RetrievalReady, Task: Task{"task_1_0", TaskCompleted, &status}, OutputPreview: &text,
			OutputTruncated: true, Artifacts: []Artifact{{"artifacts/a"}}, OutputArtifact: &index},
			`{"retrieval_status":"ready","task":{"task_id":"task_1_0","status":"completed","exit_status":1},"output_preview":"x",` +
				`"output_truncated":true,"artifacts":[{"path":"artifacts/a"}],"output_artifact":0}`},
		{"history", HistoryMatches{Query: "q", Matches: []HistoryMatch{{"s", "t", "user", "c", nil, &HistoryLine{"t", "tool_call", "d"}}}, Total: 1, Skipped: []HistoryPlace{{"s", 7}}, SkippedLines: 1},
			`{"query":"q","matches":[{"session":"s","ts":"t","role":"user","content":"c","before":null,"after":{"ts":"t","role":"tool_call","content":"d"}}],` +
				`"truncated":false,"total":1,"skipped_lines":1,"skipped":[{"session":"s","offset":7}]}`},
		{"command", CommandResult{
			Disposition: CommandSignaled, ExitStatus: nil, Signal: &signal, DurationMS: 5, StdoutPreview: &text,
			StdoutTruncated: true, Truncated: true, StdoutBytes: 3, Artifacts: []Artifact{{"artifacts/a"}}, StdoutArtifact: &index,
		}, `{"disposition":"signaled","exit_status":null,"signal":"SIGKILL","duration_ms":5,"stdout_preview":"x","stderr_preview":null,` +
			`"stdout_truncated":true,"stderr_truncated":false,"truncated":true,"stdout_bytes":3,"stderr_bytes":0,` +
			`"artifacts":[{"path":"artifacts/a"}],"stdout_artifact":0,"stderr_artifact":null}`},
		{"command that ended", CommandResult{Disposition: CommandCompleted, ExitStatus: &status, Artifacts: []Artifact{}},
			`{"disposition":"completed","exit_status":1,"signal":null,"duration_ms":0,"stdout_preview":null,"stderr_preview":null,` +
				`"stdout_truncated":false,"stderr_truncated":false,"truncated":false,"stdout_bytes":0,"stderr_bytes":0,` +
				`"artifacts":[],"stdout_artifact":null,"stderr_artifact":null}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := jsontext.Marshal(test.payload)
			if err != nil || string(got) != test.want {
				t.Errorf("jsontext.Marshal(%T) =\n%s, %v\nwant\n%s", test.payload, got, err, test.want)
			}
		})
	}
}

func TestDone_SummaryIsBounded(t *testing.T) {
	out := Done(" two\r\nlines "+strings.Repeat("ü", 300), Commit{})
	if !strings.HasPrefix(out.Summary, "two  lines ü") || len([]rune(out.Summary)) != MaxSummary {
		t.Errorf("Done(...).Summary = %q, want one line of %d characters", out.Summary, MaxSummary)
	}
	if out.Err != nil || out.Payload == nil {
		t.Errorf("Done(...) = %+v, want the payload and no error", out)
	}
}

package toolresult

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestCompact_KeepsWhatLeadsBack(t *testing.T) {
	command := Project(testCall, "execute_command", tool.Done("command exited with status 1", tool.CommandOutput{
		Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](1), Duration: time.Second,
		Stdout: stream(numbered(5000)), Stderr: stream("secret words"),
	}), Options{MaxCommandOutput: 2000, Artifacts: NewArtifacts(t.TempDir(), nil)})
	timedOut := Project(testCall, "execute_command", tool.Done("command timed out after 5 ms", tool.CommandOutput{
		Disposition: tool.CommandTimedOut, Stdout: stream(numbered(5000)),
	}), Options{MaxCommandOutput: 2000, Artifacts: NewArtifacts(t.TempDir(), nil)})
	for _, test := range []struct {
		name string
		res  tool.Result
		want string
	}{
		{"command", command, "Earlier result, shortened: execute_command (success): command exited with status 1\n" +
			"disposition: completed\nexit_status: 1\nartifact: artifacts/2-0-stdout.log"},
		{"timed out", timedOut, "Earlier result, shortened: execute_command (error): command timed out after 5 ms\n" +
			"Error (command_timed_out): command timed out after 5 ms\nHint: " + *timedOut.Error.RecoveryHint + "\nretryable: true\n" +
			"disposition: timed_out\nartifact: artifacts/2-0-stdout.log"},
		{"file", Project(testCall, "read_file", tool.Done("f: 9 bytes, 4 lines", tool.FileText{Path: "f", Bytes: 9, Lines: 4, FirstLine: 2, Text: "b\n", More: true}), Options{}),
			"Earlier result, shortened: read_file (success): f: 9 bytes, 4 lines\npath: f\nnext_offset_line: 3"},
		{"list", Project(testCall, "list_files", tool.Done("1 entry", tool.FileList{Path: "src", Entries: []tool.Entry{{Path: "src/a"}}, Total: 1}), Options{}),
			"Earlier result, shortened: list_files (success): 1 entry\npath: src"},
		{"commit", Project(testCall, "git_commit", tool.Done("committed", tool.Commit{Commit: "abc", Branch: "main", Files: []string{"a", "b\nc"}, Summary: "s"}), Options{}),
			"Earlier result, shortened: git_commit (success): committed\ncommit: abc\nbranch: main\nfiles: a, b\\nc"},
		{"error", Project(testCall, "read_file", tool.Failed(tool.NewError(tool.KindNotFound, "m", tool.Detail{Name: "path", Value: "p"}, tool.Detail{Name: "more", Value: "x"}).WithHint("h")), Options{}),
			"Earlier result, shortened: read_file (error): m\nError (not_found): m\nHint: h\nretryable: false\npath: p"},
		{"nested", tool.Result{ToolName: "other", Status: tool.StatusSuccess, SummaryText: "s",
			Result: json.RawMessage(`{"task":{"task_id":"t1","text":"gone"},"files":[1],"list":[{"path":"gone"}],"id":7,"signal":null}`)},
			"Earlier result, shortened: other (success): s\ntask_id: t1\nid: 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Compact(test.res); got != test.want {
				t.Errorf("Compact(...) = %q, want %q", got, test.want)
			}
		})
	}
}

func TestCompact_ManyPathsAreBounded(t *testing.T) {
	files := make([]string, 300)
	for i := range files {
		files[i] = "some/path/to/a/file"
	}
	res := Project(testCall, "git_commit", tool.Done("s", tool.Commit{Commit: "abc", Files: files}), Options{})
	if got := Compact(res); len(got) > 700 || !strings.HasSuffix(got, " more") {
		t.Errorf("Compact(300 files) = %d bytes, %q, want a bounded list", len(got), got)
	}
}

func FuzzCompact(f *testing.F) {
	for _, s := range []string{`{"path":"x"}`, `{"artifacts":[{"path":"a"}]}`, `{"files":["a"]}`, `[1]`, ``, `{"a":{"b":{"id":[]}}}`, `{"path":`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		got := Compact(tool.Result{ToolName: "t", Status: tool.StatusSuccess, SummaryText: "s", Result: json.RawMessage(payload)})
		if !strings.HasPrefix(got, "Earlier result, shortened: t (success): s") || !utf8.ValidString(got) {
			t.Errorf("Compact(%q) = %q, want valid text that begins with the outcome", payload, got)
		}
	})
}

package toolresult

import (
	"flag"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// shownCase is one output of a tool whose text is kept in testdata.
type shownCase struct {
	name string
	out  tool.Output
}

func completed(status int64, stdout, stderr tool.Stream) tool.CommandOutput {
	return tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: &status, Duration: 12 * time.Millisecond, Stdout: stdout, Stderr: stderr}
}

func file(text string, bytes, lines int64, more bool) tool.FileText {
	return tool.FileText{Path: "src/a.go", Bytes: bytes, Lines: lines, FirstLine: 1, Text: text, More: more}
}

// shownCases has the outputs of each tool that a model may have to tell apart.
func shownCases() map[string][]shownCase {
	digest := strings.Repeat("0f", 32)
	size, upstream := int64(17), "origin/main"
	outside := tool.NewError(tool.KindPathOutsideWorkspace, `"../x" is outside the workspace`, tool.Detail{Name: "path", Value: "../x"})
	return map[string][]shownCase{
		"create_directory": {
			{"new", tool.Done("s", tool.FolderCreated{Path: "src/parts", Created: true})},
			{"there already", tool.Done("s", tool.FolderCreated{Path: "src"})},
			{"outside", tool.Failed(outside)},
		},
		"delete_file": {{"deleted", tool.Done("s", tool.FileDeleted{Path: "old name\n", Bytes: 17})}},
		"execute_command": {
			{"output", tool.Done("s", completed(0, stream("ok   ./...\n"), stream("")))},
			{"both streams", tool.Done("s", completed(1, stream("one\n"), stream("two")))},
			{"nothing", tool.Done("s", completed(0, stream(""), stream("\n\n")))},
			{"JSON", tool.Done("s", completed(0, stream("{\"a\": \"<b>\"}\n"), stream("")))},
			{"cut", tool.Done("s", completed(0, stream(numbered(40)), stream("")))},
			{"not UTF-8", tool.Done("s", completed(0, stream("a\xffb\n"), stream("")))},
			{"signal", tool.Done("s", tool.CommandOutput{Disposition: tool.CommandSignaled, Signal: "SIGSEGV", Stderr: stream("oops\n")})},
			{"timed out", tool.Done("command timed out after 100 ms", tool.CommandOutput{Disposition: tool.CommandTimedOut, Stdout: stream("half\n")})},
			{"cancelled", tool.Done("command was cancelled", tool.CommandOutput{Disposition: tool.CommandCancelled})},
			{"promoted", tool.Done("s", tool.TaskStart{TaskID: "task_2_0", Output: stream("listening\n")})},
			{"promoted in silence", tool.Done("s", tool.TaskStart{TaskID: "task_2_0"})},
		},
		"get_workspace_summary": {
			{"a project", tool.Done("s", tool.WorkspaceSummary{
				Name: "project", Files: 12, Dirs: 1, Bytes: 3456, KeyFiles: []string{"README.md", "go.mod"},
				Languages: []tool.Language{{Name: "Go", Files: 11, Bytes: 3000}, {Name: "Markdown", Files: 1, Bytes: 456}},
				Git:       &tool.GitState{Branch: "main", Clean: true}, Truncated: true,
				Tree: []tool.Entry{{Path: "README.md", Type: tool.EntryFile, Bytes: &size}, {Path: "cmd", Type: tool.EntryDir}, {Path: "cmd/link", Type: tool.EntrySymlink}},
			})},
			{"nothing", tool.Done("s", tool.WorkspaceSummary{Name: "empty"})},
			{"detached", tool.Done("s", tool.WorkspaceSummary{Name: "p", Git: &tool.GitState{Branch: "HEAD"}})},
		},
		"git_commit": {{"committed", tool.Done("s", tool.Commit{Commit: digest[:40], Branch: "main", Files: []string{"a", "b c"}, Summary: "fix the build"})}},
		"git_status": {
			{"clean", tool.Done("s", tool.GitStatus{Branch: "main", Clean: true})},
			{"changes", tool.Done("s", tool.GitStatus{Branch: "main", Upstream: &upstream, Ahead: 1, Behind: 2, Entries: []tool.StatusEntry{
				{Path: "a", Index: " ", Worktree: "M"}, {Path: "new", OrigPath: "old", Index: "R", Worktree: " "}, {Path: "line\nend", Index: "?", Worktree: "?"},
			}})},
			{"ahead", tool.Done("s", tool.GitStatus{Branch: "main", Upstream: &upstream, Ahead: 1, Clean: true})},
			{"behind", tool.Done("s", tool.GitStatus{Branch: "main", Upstream: &upstream, Behind: 1, Clean: true})},
			{"level", tool.Done("s", tool.GitStatus{Branch: "main", Upstream: &upstream, Clean: true})},
			{"detached", tool.Done("s", tool.GitStatus{Branch: "HEAD", Clean: true})},
		},
		"list_files": {
			{"entries", tool.Done("s", tool.FileList{Path: ".", Total: 3, Entries: []tool.Entry{
				{Path: "a", Type: tool.EntryFile, Bytes: &size}, {Path: "d", Type: tool.EntryDir}, {Path: "d/pipe", Type: tool.EntryOther},
			}})},
			{"cut", tool.Done("s", tool.FileList{Path: ".", Total: 30, Entries: []tool.Entry{{Path: "a", Type: tool.EntryFile, Bytes: &size}}})},
			{"none", tool.Done("s", tool.FileList{Path: "d"})},
		},
		"read_file": {
			{"text", tool.Done("s", file("package a\n\nvar x = 1", 20, 3, false))},
			{"more", tool.Done("s", file("package a\n", 21, 3, true))},
			{"empty", tool.Done("s", file("", 0, 0, false))},
			{"past the end", tool.Done("s", file("", 21, 3, false))},
			{"binary", tool.Done("s", tool.FileText{Path: "a", Bytes: 21, Binary: true, SHA256: &digest})},
			{"not there", tool.Failed(tool.NewError(tool.KindNotFound, `"a" does not exist`, tool.Detail{Name: "path", Value: "a"}))},
		},
		"search_history": {
			{"matches", tool.Done("s", found(2, "one\n# two\n--- three"))},
			{"cut", tool.Done("s", found(50, strings.Repeat("long ", 60)))},
			{"no match", tool.Done("s", found(0, ""))},
			{"no query", tool.Failed(tool.NewError(tool.KindInvalidInput, "query is required"))},
		},
		"task_output": {
			{"running", tool.Done("s", tool.TaskOutput{Task: tool.Task{TaskID: "task_2_0", Status: tool.TaskRunning}, Output: stream("listening\n")})},
			{"completed", tool.Done("s", tool.TaskOutput{Task: tool.Task{TaskID: "task_2_0", Status: tool.TaskCompleted, ExitStatus: ptr[int64](3)}})},
			{"signaled", tool.Done("s", tool.TaskOutput{Task: tool.Task{TaskID: "task_2_0", Status: tool.TaskSignaled}})},
			{"timed out", tool.Done("s", tool.TaskOutput{Task: tool.Task{TaskID: "task_2_0", Status: tool.TaskTimedOut}})},
			{"unknown", tool.Failed(tool.NewError(tool.KindUnknownTask, `there is no task "x" in this run`, tool.Detail{Name: "task_id", Value: "x"}))},
		},
		"task_stop": {
			{"stopped", tool.Done("s", tool.TaskOutput{Task: tool.Task{TaskID: "task_2_0", Status: tool.TaskStopped}, Output: stream("bye\n")})},
			{"cancelled", tool.Done("s", tool.TaskOutput{Task: tool.Task{TaskID: "task_2_0", Status: tool.TaskCancelled}})},
		},
		"write_file": {
			{"new", tool.Done("s", tool.FileWritten{Path: "a", Bytes: 17, Created: true, SHA256: digest})},
			{"replaced", tool.Done("s", tool.FileWritten{Path: "a", Bytes: 17, SHA256: digest})},
		},
	}
}

// The texts are read in review as a model reads them: one file for each tool.
func TestRender_TextsAreAsKept(t *testing.T) {
	cases := shownCases()
	for name := range families {
		if cases[name] == nil {
			t.Errorf("no text of %s is kept", name)
		}
	}
	names := make([]string, 0, len(cases))
	for name := range cases {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		var b strings.Builder
		for _, c := range cases[name] {
			opts := Options{MaxCommandOutput: 300, Artifacts: NewArtifacts(t.TempDir(), nil)}
			_, text := show(t, name, c.out, opts)
			b.WriteString("=== " + c.name + "\n" + text + "\n")
		}
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s shows other texts, -update keeps them (-want +got):\n%s", name, diff)
		}
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(kept) != len(names) {
		t.Errorf("testdata has %v, %v, want a file for each of %v", kept, err, names)
	}
}

func TestRender_NewFamiliesFitTheirBudget(t *testing.T) {
	long := strings.Repeat("ä/", 60)
	status := tool.GitStatus{Branch: "main"}
	summary := tool.WorkspaceSummary{Name: "p"}
	for range 3000 {
		status.Entries = append(status.Entries, tool.StatusEntry{Path: long, OrigPath: long, Index: "R", Worktree: " "})
	}
	for range 100 {
		summary.Tree = append(summary.Tree, tool.Entry{Path: "d/" + long, Type: tool.EntryDir})
	}
	for range 100 {
		summary.Tree = append(summary.Tree, tool.Entry{Path: strings.Repeat("z", 60), Type: tool.EntryDir})
	}
	for name, payload := range map[string]any{"git_status": status, "get_workspace_summary": summary} {
		res, text := show(t, name, tool.Done("s", payload), Options{})
		if budget := families[name].budget(Options{}); len(text) > budget || len(text) < budget/2 || !res.Facts().OutputTruncated {
			t.Errorf("Render(%s) = %d bytes, facts %+v, want at most %d and the cut told", name, len(text), res.Facts(), budget)
		}
		if !strings.Contains(text[len(text)-80:], "omitted") {
			t.Errorf("Render(%s) ends %q, want the cut told", name, text[len(text)-80:])
		}
		if name == "get_workspace_summary" && strings.Count(text, "\nzzz") != 100 {
			t.Errorf("Render(%s) has %d entries of the upper level, want all 100", name, strings.Count(text, "\nzzz"))
		}
	}
}

package workspace

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
	"github.com/openagent-ci/openagent/internal/tool/search"
	"github.com/openagent-ci/openagent/internal/tool/textedit"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// shownCase is one output of a tool whose text is kept in testdata.
type shownCase struct {
	name string
	out  tool.Output
}

func fileOutput(text string, bytes, lines int64, more bool) fileText {
	return fileText{path: "src/a.go", window: window{Bytes: bytes, Lines: lines, FirstLine: 1, Text: text, More: more}}
}

// shownCases has the outputs of each tool that a model may have to tell apart.
func shownCases(opts result.Options) map[string][]shownCase {
	digest := strings.Repeat("0f", 32)
	size, upstream := int64(17), "origin/main"
	printed := func(role, text string) result.Stream { return captured(role, text, opts) }
	completed := func(status int64, out, err string) tool.Output {
		return command(commandOutput{
			disposition: commandCompleted, status: &status, duration: 12 * time.Millisecond, stdout: printed("stdout", out), stderr: printed("stderr", err),
		}, opts)
	}
	outside := tool.NewError(tool.KindPathOutsideWorkspace, `"../x" is outside the workspace`, tool.Detail{Name: "path", Value: "../x"})
	edit := editArgs{Path: "src/a.go", OldText: "a", NewText: "b", Count: 1}
	return map[string][]shownCase{
		"create_directory": {
			{"new", tool.Done(folderCreated{Path: "src/parts", Created: true})},
			{"there already", tool.Done(folderCreated{Path: "src"})},
			{"outside", tool.Failed(outside)},
		},
		"delete_file": {{"deleted", tool.Done(fileDeleted{Path: "old name\n", Bytes: 17})}},
		"edit_file": {
			{"once", tool.Done(fileEdited{Path: "src/a.go", Bytes: 170, Replacements: 1, FirstLine: 12, SHA256: digest})},
			{"twice", tool.Done(fileEdited{Path: "new\nline", Bytes: 17, Replacements: 2, FirstLine: 1, SHA256: digest})},
			{"too many", tool.Failed(notEdited(edit, &textedit.Ambiguous{Found: 3, Lines: []int64{4, 8, 15}}))},
			{"not there", tool.Failed(notEdited(edit, &textedit.Absent{}))},
			{"nearest", tool.Failed(notEdited(edit, &textedit.Absent{Near: &textedit.Near{FirstLine: 4, LastLine: 5, Text: "\tif x {\n\t\treturn"}}))},
			{"too large", tool.Failed(notEdited(edit, textedit.ErrTooLarge))},
		},
		"execute_command": {
			{"output", completed(0, "ok   ./...\n", "")},
			{"both streams", completed(1, "one\n", "two")},
			{"nothing", completed(0, "", "\n\n")},
			{"JSON", completed(0, "{\"a\": \"<b>\"}\n", "")},
			{"cut", completed(0, numbered(40), "")},
			{"not UTF-8", completed(0, "a\xffb\n", "")},
			{"signal", command(commandOutput{disposition: commandSignaled, signal: "SIGSEGV", stderr: printed("stderr", "oops\n")}, opts)},
			{"timed out", command(commandOutput{disposition: commandTimedOut, limit: 100 * time.Millisecond, stdout: printed("stdout", "half\n")}, opts)},
			{"cancelled", command(commandOutput{disposition: commandCancelled}, opts)},
			{"promoted", command(commandOutput{disposition: commandPromoted, task: "task_2_0", printed: printed("output", "listening\n")}, opts)},
			{"promoted in silence", command(commandOutput{disposition: commandPromoted, task: "task_2_0"}, opts)},
		},
		"get_workspace_summary": {
			{"a project", tool.Done(workspaceSummary{
				Name: "project", Files: 12, Dirs: 1, Bytes: 3456, KeyFiles: []string{"README.md", "go.mod"},
				Languages: []Share{{Name: "Go", Files: 11, Bytes: 3000}, {Name: "Markdown", Files: 1, Bytes: 456}},
				Git:       &gitState{Branch: "main", Clean: true}, Truncated: true,
				Tree: []entry{{Path: "README.md", Type: entryFile, Bytes: &size}, {Path: "cmd", Type: entryDir}, {Path: "cmd/link", Type: entrySymlink}},
			})},
			{"nothing", tool.Done(workspaceSummary{Name: "empty"})},
			{"detached", tool.Done(workspaceSummary{Name: "p", Git: &gitState{Branch: "HEAD"}})},
		},
		"git_commit": {{"committed", tool.Done(gitCommitted{Commit: digest[:40], Branch: "main", Files: []string{"a", "b c"}, Subject: "fix the build"})}},
		"git_status": {
			{"clean", tool.Done(gitStatus{Branch: "main", Clean: true})},
			{"changes", tool.Done(gitStatus{Branch: "main", Upstream: &upstream, Ahead: 1, Behind: 2, Entries: []statusEntry{
				{Path: "a", Index: " ", Worktree: "M"}, {Path: "new", OrigPath: "old", Index: "R", Worktree: " "}, {Path: "line\nend", Index: "?", Worktree: "?"},
			}})},
			{"ahead", tool.Done(gitStatus{Branch: "main", Upstream: &upstream, Ahead: 1, Clean: true})},
			{"behind", tool.Done(gitStatus{Branch: "main", Upstream: &upstream, Behind: 1, Clean: true})},
			{"level", tool.Done(gitStatus{Branch: "main", Upstream: &upstream, Clean: true})},
			{"detached", tool.Done(gitStatus{Branch: "HEAD", Clean: true})},
		},
		"list_files": {
			{"entries", tool.Done(fileList{Path: ".", Total: 4, Entries: []entry{
				{Path: "a\nb", Type: entryFile, Bytes: &size}, {Path: "d", Type: entryDir}, {Path: "d/pipe", Type: entryOther}, {Path: "l", Type: entrySymlink},
			}})},
			{"cut", tool.Done(fileList{Path: ".", Total: 30, Entries: []entry{{Path: "a", Type: entryFile, Bytes: &size}}})},
			{"none", tool.Done(fileList{Path: "d"})},
		},
		"read_file": {
			{"text", tool.Done(fileOutput("package a\n\nvar x = 1", 20, 3, false))},
			{"more", tool.Done(fileOutput("package a\n", 21, 3, true))},
			{"one more", tool.Done(fileOutput("package a\n\n", 21, 3, true))},
			{"empty", tool.Done(fileOutput("", 0, 0, false))},
			{"past the end", tool.Done(fileOutput("", 21, 3, false))},
			{"binary", tool.Done(fileText{path: "a", window: window{Bytes: 21, Binary: true, SHA256: &digest}})},
			{"not there", tool.Failed(tool.NewError(tool.KindNotFound, `"a" does not exist`, tool.Detail{Name: "path", Value: "a"}))},
		},
		"search_files": {
			{"matches", tool.Done(filesSearched{FilesSearched: 3, Total: 2, Matches: []search.Match{{Path: "a", Line: 1, Text: "one"}, {Path: "new\nline", Line: 7, Text: "\tone: 1"}}})},
			{"context", tool.Done(filesSearched{FilesSearched: 3, Total: 2, Matches: []search.Match{
				{Path: "a", Line: 3, Text: "one", Before: []string{"", "two"}, After: []string{"four"}}, {Path: "b", Line: 1, Text: "one", After: []string{"two"}},
			}})},
			{"cut", tool.Done(filesSearched{FilesSearched: 1, Total: 30, Matches: []search.Match{{Path: "a", Line: 1, Text: "one"}}})},
			{"none", tool.Done(filesSearched{FilesSearched: 1})},
			{"no file", tool.Done(filesSearched{})},
			{"refused", tool.Failed(badQuery(searchArgs{Query: "a(", Regex: true}, errors.New("error parsing regexp: missing closing ): `a(`")))},
		},
		"task_output": {
			{"running", tool.Done(taskPrinted{task: taskState{TaskID: "task_2_0", Status: taskRunning}, output: printed("output", "listening\n")})},
			{"completed", tool.Done(taskPrinted{task: taskState{TaskID: "task_2_0", Status: taskCompleted, ExitStatus: ptr[int64](3)}})},
			{"signaled", tool.Done(taskPrinted{task: taskState{TaskID: "task_2_0", Status: taskSignaled}})},
			{"timed out", tool.Done(taskPrinted{task: taskState{TaskID: "task_2_0", Status: taskTimedOut}})},
			{"unknown", tool.Failed(tool.NewError(tool.KindUnknownTask, `there is no task "x" in this run`, tool.Detail{Name: "task_id", Value: "x"}))},
		},
		"task_stop": {
			{"stopped", tool.Done(taskPrinted{task: taskState{TaskID: "task_2_0", Status: taskStopped}, output: printed("output", "bye\n")})},
			{"cancelled", tool.Done(taskPrinted{task: taskState{TaskID: "task_2_0", Status: taskCancelled}})},
		},
		"write_file": {
			{"new", tool.Done(fileWritten{Path: "a", Bytes: 17, Created: true, SHA256: digest})},
			{"replaced", tool.Done(fileWritten{Path: "a\tb", Bytes: 17, SHA256: digest})},
		},
	}
}

// The texts are read in review as a model reads them: one file for each tool.
func TestRender_TextsAreAsKept(t *testing.T) {
	var names []string
	for _, spec := range Specs() {
		names = append(names, spec.Name)
		var b strings.Builder
		opts := result.Options{MaxCommandOutput: 300, Artifacts: result.NewArtifacts(t.TempDir(), nil)}
		for _, c := range shownCases(opts)[spec.Name] {
			_, text := show(t, spec.Name, c.out, opts)
			b.WriteString("=== " + c.name + "\n" + text + "\n")
		}
		path := filepath.Join("testdata", spec.Name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || b.Len() == 0 {
			t.Errorf("%s: %d bytes of texts, %v, want some kept", spec.Name, b.Len(), err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s shows other texts, -update keeps them (-want +got):\n%s", spec.Name, diff)
		}
	}
	golden, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(golden) != len(names) {
		t.Errorf("testdata has %v, %v, want a file for each of %v", golden, err, names)
	}
}

package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"

	"github.com/openagent-ci/openagent/internal/text/redact"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

var testCall = tool.Call{ID: "c1", Step: 2, Index: 0}

func ptr[T any](v T) *T { return &v }

// captured returns a stream as a command leaves it.
func captured(role, text string, opts result.Options) result.Stream {
	c := result.NewCapture(testCall, role, opts)
	_, _ = c.Write([]byte(text))
	return c.Stream()
}

func stdout(text string) result.Stream { return captured("stdout", text, result.Options{}) }

func numbered(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d of the log\n", i+1)
	}
	return b.String()
}

// named returns a tool of a workspace with these bounds.
func named(name string, opts result.Options) tool.Tool {
	w := Workspace{results: opts}
	t, _ := tool.NewRegistry(w.Tools()...).Lookup(name)
	return t
}

// show projects, validates through JSON and renders: the way of every result.
func show(t *testing.T, name string, out tool.Output, opts result.Options) (tool.Result, string) {
	t.Helper()
	x := named(name, opts)
	res := result.Project(x, out)
	raw, err := jsontext.Marshal(res)
	if err != nil {
		t.Fatalf("Marshal(%+v) = %v", res, err)
	}
	var loaded tool.Result
	err = json.Unmarshal(raw, &loaded)
	if err == nil {
		err = loaded.Validate()
	}
	if err != nil {
		t.Fatalf("%s = %v, want a valid result", raw, err)
	}
	if again, err := jsontext.Marshal(loaded); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("the loaded result is %s, %v, want %s", again, err, raw)
	}
	return res, result.Render(x, loaded)
}

// command returns the output of a command under the bounds of opts.
func command(c commandOutput, opts result.Options) tool.Output {
	c.budget = opts.CommandBudget()
	return tool.Done(c)
}

func TestCommand_CanonicalPayload(t *testing.T) {
	out := command(commandOutput{
		disposition: commandCompleted, status: ptr[int64](0),
		duration: 12 * time.Millisecond, stdout: stdout("ok   ./...\n"),
	}, result.Options{})
	res, text := show(t, "execute_command", out, result.Options{})
	want := `{"tool_name":"execute_command","status":"success","summary_text":"command exited with status 0","result":` +
		`{"disposition":"completed","exit_status":0,"signal":null,"duration_ms":12,"stdout_preview":"ok   ./...\n","stderr_preview":null,` +
		`"stdout_truncated":false,"stderr_truncated":false,"truncated":false,"stdout_bytes":11,"stderr_bytes":0,"artifacts":[],` +
		`"stdout_artifact":null,"stderr_artifact":null},"error":null}`
	if got, _ := jsontext.Marshal(res); string(got) != want {
		t.Errorf("Project(...) =\n%s\nwant\n%s", got, want)
	}
	if want := "Process exited with code 0\n\nstdout:\nok   ./..."; text != want {
		t.Errorf("Text() = %q, want %q", text, want)
	}
}

func TestCommand_LargeStreamsShareAndGoToArtifacts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	opts := result.Options{MaxCommandOutput: 2000, Artifacts: result.NewArtifacts(dir, nil)}
	long, middle := numbered(5000), numbered(60)
	out := command(commandOutput{
		disposition: commandCompleted, status: ptr[int64](0), stdout: captured("stdout", long, opts), stderr: captured("stderr", middle, opts),
	}, opts)
	res, text := show(t, "execute_command", out, opts)
	var got commandPayload
	if err := json.Unmarshal(res.Result, &got); err != nil {
		t.Fatal(err)
	}
	for whole, cut := range map[string]string{long: *got.StdoutPreview, middle: *got.StderrPreview} {
		if len(cut) > 1000 || len(cut) < 900 || cut[:20] != whole[:20] || cut[len(cut)-20:] != whole[len(whole)-20:] {
			t.Errorf("preview of %d bytes = %q, want both ends in half the budget", len(whole), cut)
		}
	}
	if !got.Truncated || *got.StdoutArtifact != 0 || *got.StderrArtifact != 1 {
		t.Errorf("Project(...) = %+v, want both cut with an artifact each", got)
	}
	if !strings.Contains(*got.StdoutPreview, "; whole output: artifacts/2-0-stdout.log ...]") {
		t.Errorf("stdout_preview = %q, want it to name the artifact", *got.StdoutPreview)
	}
	if want := "\n\nArtifacts:\nartifacts/2-0-stdout.log (103893 bytes)\nartifacts/2-0-stderr.log (1131 bytes)"; !strings.HasSuffix(text, want) {
		t.Errorf("Text() ends with %q, want %q", text[len(text)-100:], want)
	}
	if saved, _ := os.ReadFile(filepath.Join(dir, "2-0-stderr.log")); string(saved) != middle {
		t.Errorf("artifact holds %d bytes, want the %d of stderr", len(saved), len(middle))
	}
}

func TestCommand_UnusedShareGoesToTheOther(t *testing.T) {
	opts := result.Options{MaxCommandOutput: 1000}
	out := command(commandOutput{
		disposition: commandCompleted, status: ptr[int64](0),
		stdout: stdout(strings.Repeat("x", 989) + "\n"), stderr: stdout("0123456789"),
	}, opts)
	res, _ := show(t, "execute_command", out, opts)
	if facts := res.Facts(); facts.OutputTruncated || *facts.OutputBytes != 1000 {
		t.Errorf("Facts() = %+v, want nothing cut of exactly the budget", facts)
	}
}

func TestCommand_EndedEarlyIsAnErrorWithThePayload(t *testing.T) {
	out := command(commandOutput{
		disposition: commandTimedOut, limit: 2 * time.Second, stdout: stdout("half\n"), stderr: stdout(strings.Repeat("e", 3000)),
	}, result.Options{})
	res, text := show(t, "execute_command", out, result.Options{})
	if res.Error == nil || res.Error.Kind != tool.KindCommandTimedOut || !strings.Contains(string(res.Error.Details), `"disposition":"timed_out"`) {
		t.Fatalf("Project(...) = %+v, want %s with the payload as details", res, tool.KindCommandTimedOut)
	}
	want := "Error (command_timed_out): command timed out after 2000 ms\nHint: " + *res.Error.RecoveryHint +
		"\n\nstdout:\nhalf\n\nstderr:\n" + strings.Repeat("e", 3000)
	if text != want {
		t.Errorf("Text() = %q, want %q", text, want)
	}
}

func TestFile_CutOnALineEndLeadsOn(t *testing.T) {
	text := "begin\n" + numbered(3999)
	res, shown := show(t, "read_file", tool.Done(fileText{window: window{Bytes: int64(len(text)), Lines: 4000, FirstLine: 1, Text: text[:50000], More: true}}), result.Options{})
	var got filePreview
	if err := json.Unmarshal(res.Result, &got); err != nil {
		t.Fatal(err)
	}
	if len(shown) > fileBudget || !got.Truncated || !strings.HasSuffix(got.ContentPreview, "\n") {
		t.Errorf("Text() has %d bytes, truncated %v, want at most %d on a line end", len(shown), got.Truncated, fileBudget)
	}
	if want := int64(strings.Count(got.ContentPreview, "\n") + 1); got.NextOffsetLine == nil || *got.NextOffsetLine != want {
		t.Errorf("next_offset_line = %v, want %d", got.NextOffsetLine, want)
	}
}

func TestFile_OneLongLineIsCut(t *testing.T) {
	text := strings.Repeat("ä", 40000)
	_, shown := show(t, "read_file", tool.Done(fileText{window: window{Bytes: 80000, Lines: 1, FirstLine: 1, Text: text}}), result.Options{})
	if len(shown) > fileBudget || len(shown) < fileBudget-result.NoteRoom || !utf8.ValidString(shown) || !strings.HasSuffix(shown, "\n[... the last line is cut ...]") {
		t.Errorf("Text() = %d bytes ending %q, want a cut line said so", len(shown), shown[len(shown)-60:])
	}
}

func TestList_CutToBudget(t *testing.T) {
	list := fileList{Path: ".", Total: 9000}
	for range 2000 {
		list.Entries = append(list.Entries, entry{Path: strings.Repeat("p", 50), Type: entryFile})
	}
	res, text := show(t, "list_files", tool.Done(list), result.Options{})
	if len(text) > listBudget || !res.Facts().OutputTruncated || !strings.Contains(text, "of 9000 entries omitted") {
		t.Errorf("Text() = %d bytes, facts %+v, want at most %d and the cut told", len(text), res.Facts(), listBudget)
	}
}

func TestCommit_ManyFilesFitTheBudget(t *testing.T) {
	files := make([]string, 3000)
	for i := range files {
		files[i] = "some/long/path/to/a/file"
	}
	_, text := show(t, "git_commit", tool.Done(gitCommitted{Commit: "abc", Branch: "main", Files: files, Total: 3000, Subject: "s"}), result.Options{})
	if len(text) > gitBudget || !strings.HasSuffix(text, "of 3000 files omitted ...]") {
		t.Errorf("Text() = %d bytes ending %q, want at most %d", len(text), text[len(text)-40:], gitBudget)
	}
}

func TestCommand_UnknownEnd(t *testing.T) {
	res := tool.Result{ToolName: "execute_command", Status: tool.StatusSuccess, SummaryText: "s", Result: json.RawMessage(`{"disposition":"other"}`)}
	x := named("execute_command", result.Options{})
	if got := result.Render(x, res); got != "Process ended without an exit code" {
		t.Errorf("Render(other disposition) = %q", got)
	}
	res.Result = json.RawMessage(`{"disposition":5}`)
	if got := result.Render(x, res); got != "s" {
		t.Errorf("Render(payload of another shape) = %q, want the summary", got)
	}
}

func FuzzRender(f *testing.F) {
	f.Add("execute_command", []byte(`{"disposition":"completed","exit_status":0,"stdout_preview":"x"}`))
	f.Add("execute_command", []byte(`{"disposition":"timed_out","task_handle":{},"artifacts":[{"path":"a"}]}`))
	f.Add("read_file", []byte(`{"content_preview":"x","truncated":true,"next_offset_line":3}`))
	f.Add("list_files", []byte(`{"entries":[{"path":"a"}],"total":-1,"truncated":true}`))
	f.Add("git_commit", []byte(`{"files":["a"]}`))
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		x := named(name, result.Options{})
		res := tool.Result{ToolName: name, Status: tool.StatusSuccess, SummaryText: "s", Result: payload}
		if res.Validate() != nil {
			return
		}
		if got := result.Render(x, res); !utf8.ValidString(got) || len(got) > 38<<10 {
			t.Errorf("Render(%s %s) = %d bytes, want bounded text", name, payload, len(got))
		}
		failed := tool.Result{ToolName: name, Status: tool.StatusError, SummaryText: "s", Error: &tool.Error{Kind: "x", Message: "m", Details: payload}}
		if got := result.Render(x, failed); !utf8.ValidString(got) || len(got) > 2<<10 {
			t.Errorf("Render(error with %s) = %d bytes, want a receipt", payload, len(got))
		}
	})
}

func TestTask_ProjectionAndText(t *testing.T) {
	out := command(commandOutput{disposition: commandPromoted, task: "task_2_0", printed: stdout("listening\n")}, result.Options{})
	res, text := show(t, "execute_command", out, result.Options{})
	want := `{"disposition":"promoted_to_task","task_handle":{"task_id":"task_2_0","kind":"command_task"},` +
		`"initial_output_preview":"listening\n","initial_output_truncated":false}`
	if string(res.Result) != want {
		t.Errorf("Project(promotion) = %s, want %s", res.Result, want)
	}
	if want := "Command promoted to background task\nTask: task_2_0\n\nInitial output:\nlistening"; text != want {
		t.Errorf("Render(promotion) = %q, want %q", text, want)
	}
	if facts := res.Facts(); !facts.OK || facts.OutputTruncated || facts.ExitStatus != nil {
		t.Errorf("Facts(promotion) = %+v, want ok and nothing cut", facts)
	}
	if got, want := result.Compact(res), "Earlier result, shortened: execute_command (success): command promoted to managed task\n"+
		"disposition: promoted_to_task\ntask_id: task_2_0"; got != want {
		t.Errorf("Compact(promotion) = %q, want %q", got, want)
	}
}

func TestTask_CutToBudget(t *testing.T) {
	long := result.Stream{Bytes: 1 << 20, Lines: 1 << 10, Head: []byte(numbered(5000)[:taskRoom]), Tail: []byte(numbered(5000)[:taskRoom]),
		Artifact: &tool.Artifact{Path: "artifacts/2-0-output.log"}}
	res, text := show(t, "task_output", tool.Done(taskPrinted{task: taskState{TaskID: "t", Status: taskRunning}, output: long}), result.Options{})
	var got taskReport
	if err := json.Unmarshal(res.Result, &got); err != nil {
		t.Fatal(err)
	}
	facts := res.Facts()
	if len(text) > taskBudget || !facts.OutputTruncated || len(facts.Artifacts) != 1 || got.OutputArtifact == nil {
		t.Errorf("Render(task) = %d bytes, facts %+v, want at most %d, the cut and the artifact told", len(text), facts, taskBudget)
	}
	res, _ = show(t, "execute_command", command(commandOutput{disposition: commandPromoted, task: "t", printed: long}, result.Options{}), result.Options{})
	if !res.Facts().OutputTruncated {
		t.Errorf("Facts(promotion with much output) = %+v, want the cut told", res.Facts())
	}
}

func TestFile_MaskedBeforeItIsCut(t *testing.T) {
	const secret = "sk-test-0123456789abcdef"
	r := redact.New([]string{secret})
	b := newBench(t, func(o *Options) { o.Results.Mask = func(s string) string { s, _ = r.Known(s); return s } })
	for at := fileBudget - result.NoteRoom - 40; at < fileBudget-result.NoteRoom+10; at++ {
		b.put("ws/f", strings.Repeat("x", at)+secret+strings.Repeat("y", 2000))
		if res, _ := b.call(b.ctx, "read_file", m{"path": "f"}); strings.Contains(string(res.Result), "sk-t") {
			t.Fatalf("secret at %d: the preview holds a part of it: %s", at, res.Result[len(res.Result)-200:])
		}
	}
}

func TestCompact_KeepsWhatLeadsBack(t *testing.T) {
	opts := result.Options{MaxCommandOutput: 2000, Artifacts: result.NewArtifacts(t.TempDir(), nil)}
	compacted := func(name string, out tool.Output) tool.Result { return result.Project(named(name, opts), out) }
	long := captured("stdout", numbered(5000), opts)
	finished := compacted("execute_command", command(commandOutput{
		disposition: commandCompleted, status: ptr[int64](1), duration: time.Second, stdout: long, stderr: stdout("secret words"),
	}, opts))
	timedOut := compacted("execute_command", command(commandOutput{disposition: commandTimedOut, limit: 5 * time.Millisecond, stdout: long}, opts))
	for _, test := range []struct {
		name string
		res  tool.Result
		want string
	}{
		{"command", finished, "Earlier result, shortened: execute_command (success): command exited with status 1\n" +
			"disposition: completed\nexit_status: 1\nartifact: artifacts/2-0-stdout.log"},
		{"timed out", timedOut, "Earlier result, shortened: execute_command (error): command timed out after 5 ms\n" +
			"Error (command_timed_out): command timed out after 5 ms\nHint: " + *timedOut.Error.RecoveryHint + "\nretryable: true\n" +
			"disposition: timed_out\nartifact: artifacts/2-0-stdout.log"},
		{"file", compacted("read_file", tool.Done(fileText{path: "f", window: window{Bytes: 9, Lines: 4, FirstLine: 2, Text: "b\n", More: true}})),
			"Earlier result, shortened: read_file (success): f: 9 bytes, 4 lines\npath: f\nnext_offset_line: 3"},
		{"list", compacted("list_files", tool.Done(fileList{Path: "src", Entries: []entry{{Path: "src/a"}}, Total: 1})),
			"Earlier result, shortened: list_files (success): 1 entry\npath: src"},
		{"commit", compacted("git_commit", tool.Done(gitCommitted{Commit: "abc", Branch: "main", Files: []string{"a", "b\nc"}, Total: 2, Subject: "s"})),
			"Earlier result, shortened: git_commit (success): committed 2 files as abc\ncommit: abc\nbranch: main\nfiles: a, b\\nc"},
		{"error", compacted("read_file", tool.Failed(tool.NewError(tool.KindNotFound, "m", tool.Detail{Name: "path", Value: "p"}, tool.Detail{Name: "more", Value: "x"}).WithHint("h"))),
			"Earlier result, shortened: read_file (error): m\nError (not_found): m\nHint: h\nretryable: false\npath: p"},
		{"nested", tool.Result{ToolName: "other", Status: tool.StatusSuccess, SummaryText: "s",
			Result: json.RawMessage(`{"task":{"task_id":"t1","text":"gone"},"files":[1],"list":[{"path":"gone"}],"id":7,"signal":null}`)},
			"Earlier result, shortened: other (success): s\ntask_id: t1\nid: 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := result.Compact(test.res); got != test.want {
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
	res := result.Project(named("git_commit", result.Options{}), tool.Done(gitCommitted{Commit: "abc", Files: files, Total: 300}))
	if got := result.Compact(res); len(got) > 700 || !strings.HasSuffix(got, " more") {
		t.Errorf("Compact(300 files) = %d bytes, %q, want a bounded list", len(got), got)
	}
}

func TestRender_ListsFitTheirBudget(t *testing.T) {
	long := strings.Repeat("ä/", 60)
	status := gitStatus{Branch: "main"}
	summary := workspaceSummary{Name: "p"}
	for range 3000 {
		status.Entries = append(status.Entries, statusEntry{Path: long, OrigPath: long, Index: "R", Worktree: " "})
	}
	for range 100 {
		summary.Tree = append(summary.Tree, entry{Path: "d/" + long, Type: entryDir})
	}
	for range 100 {
		summary.Tree = append(summary.Tree, entry{Path: strings.Repeat("z", 60), Type: entryDir})
	}
	status.Total = 3000
	for name, out := range map[string]tool.Output{"git_status": tool.Done(status), "get_workspace_summary": tool.Done(summary)} {
		res, text := show(t, name, out, result.Options{})
		if budget := named(name, result.Options{}).Spec.Budget; len(text) > budget || len(text) < budget/2 || !res.Facts().OutputTruncated {
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
		{"list", fileList{Path: ".", Entries: []entry{{"a", entryFile, &size}, {"d", entryDir, nil}}, Truncated: true, Total: 9},
			`{"path":".","entries":[{"path":"a","type":"file","bytes":3},{"path":"d","type":"dir"}],"truncated":true,"total":9}`},
		{"file", filePreview{Path: "f", Bytes: 3, Lines: 2, ContentPreview: "x\n", Truncated: true, NextOffsetLine: &next, SHA256: &sum},
			`{"path":"f","bytes":3,"lines":2,"content_preview":"x\n","truncated":true,"next_offset_line":2,"binary":false,"sha256":"ab"}`},
		{"file without", filePreview{Path: "f", Binary: true},
			`{"path":"f","bytes":0,"lines":0,"content_preview":"","truncated":false,"next_offset_line":null,"binary":true,"sha256":null}`},
		{"written", fileWritten{Path: "f", Bytes: 3, Created: true, SHA256: "ab"},
			`{"path":"f","bytes":3,"created":true,"sha256":"ab"}`},
		{"commit", gitCommitted{Commit: "c", Branch: "main", Files: []string{"f"}, Subject: "s"},
			`{"commit":"c","branch":"main","files":["f"],"summary":"s","truncated":false,"total":0}`},
		{"folder", folderCreated{Path: "d", Created: true}, `{"path":"d","created":true}`},
		{"deleted", fileDeleted{Path: "f", Bytes: 3}, `{"path":"f","bytes":3}`},
		{"status", gitStatus{Branch: "main", Upstream: &text, Ahead: 1, Entries: []statusEntry{{"b", "a", "R", " "}, {"c", "", "?", "?"}}, Total: 2},
			`{"branch":"main","upstream":"x","ahead":1,"behind":0,"clean":false,"entries":[{"path":"b","orig_path":"a","index":"R","worktree":" "},` +
				`{"path":"c","index":"?","worktree":"?"}],"truncated":false,"total":2}`},
		{"summary", workspaceSummary{Name: "w", Files: 1, Languages: []Share{{Name: "Go", Files: 1, Bytes: 3}}, KeyFiles: []string{"go.mod"}, Git: &gitState{"main", true}, Tree: []entry{}},
			`{"name":"w","files":1,"dirs":0,"bytes":0,"languages":[{"name":"Go","files":1,"bytes":3}],"key_files":["go.mod"],` +
				`"git":{"branch":"main","clean":true},"tree":[],"truncated":false}`},
		{"promotion", commandPayload{Disposition: commandPromoted, TaskPromotion: &TaskPromotion{TaskHandle: TaskHandle{"task_1_0", "command_task"}}},
			`{"disposition":"promoted_to_task","task_handle":{"task_id":"task_1_0","kind":"command_task"},` +
				`"initial_output_preview":null,"initial_output_truncated":false}`},
		{"task", taskReport{RetrievalStatus: "ready", Task: taskState{"task_1_0", taskCompleted, &status}, OutputPreview: &text,
			OutputTruncated: true, Artifacts: []tool.Artifact{{Path: "artifacts/a"}}, OutputArtifact: &index},
			`{"retrieval_status":"ready","task":{"task_id":"task_1_0","status":"completed","exit_status":1},"output_preview":"x",` +
				`"output_truncated":true,"artifacts":[{"path":"artifacts/a"}],"output_artifact":0}`},
		{"command", commandPayload{Disposition: commandSignaled, CommandResult: &CommandResult{
			Signal: &signal, DurationMS: 5, StdoutPreview: &text,
			StdoutTruncated: true, Truncated: true, StdoutBytes: 3, Artifacts: []tool.Artifact{{Path: "artifacts/a"}}, StdoutArtifact: &index,
		}}, `{"disposition":"signaled","exit_status":null,"signal":"SIGKILL","duration_ms":5,"stdout_preview":"x","stderr_preview":null,` +
			`"stdout_truncated":true,"stderr_truncated":false,"truncated":true,"stdout_bytes":3,"stderr_bytes":0,` +
			`"artifacts":[{"path":"artifacts/a"}],"stdout_artifact":0,"stderr_artifact":null}`},
		{"command that ended", commandPayload{Disposition: commandCompleted, CommandResult: &CommandResult{ExitStatus: &status, Artifacts: []tool.Artifact{}}},
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

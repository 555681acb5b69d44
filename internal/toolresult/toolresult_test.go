package toolresult

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
)

var testCall = tool.Call{ID: "c1", Step: 2, Index: 0}

func ptr[T any](v T) *T { return &v }

func stream(text string) tool.Stream {
	return tool.Stream{Bytes: int64(len(text)), Lines: int64(strings.Count(text, "\n")), Head: []byte(text)}
}

// show projects, validates through JSON and renders: the way of every result.
func show(t *testing.T, name string, out tool.Output, opts Options) (tool.Result, string) {
	t.Helper()
	res := Project(testCall, name, out, opts)
	raw, err := jsontext.Marshal(res)
	if err != nil {
		t.Fatalf("EncodeJSON(%+v) = %v", res, err)
	}
	loaded, err := tool.LoadResult(raw)
	if err != nil {
		t.Fatalf("LoadResult(%s) = %v, want a valid result", raw, err)
	}
	if diff := cmp.Diff(res, loaded); diff != "" {
		t.Errorf("the loaded result differs (-want +got):\n%s", diff)
	}
	return res, Render(loaded, opts)
}

func TestCommand_CanonicalPayload(t *testing.T) {
	out := tool.Done("command exited with status 0", tool.CommandOutput{
		Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](0),
		Duration: 12 * time.Millisecond, Stdout: stream("ok   ./...\n"),
	})
	res, text := show(t, "execute_command", out, Options{})
	want := `{"tool_name":"execute_command","status":"success","summary_text":"command exited with status 0","result":` +
		`{"disposition":"completed","exit_status":0,"signal":null,"duration_ms":12,"stdout_preview":"ok   ./...\n","stderr_preview":null,` +
		`"stdout_truncated":false,"stderr_truncated":false,"truncated":false,"stdout_bytes":11,"stderr_bytes":0,"artifacts":[],` +
		`"stdout_artifact":null,"stderr_artifact":null},"error":null}`
	if got, _ := jsontext.Marshal(res); string(got) != want {
		t.Errorf("Project(...) =\n%s\nwant\n%s", got, want)
	}
	if want := "Process exited with code 0\n\nstdout:\nok   ./..."; text != want {
		t.Errorf("Render(...) = %q, want %q", text, want)
	}
}

func TestCommand_Renderings(t *testing.T) {
	for _, test := range []struct {
		name string
		out  tool.CommandOutput
		want string
	}{
		{"no output", tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](3)}, "Process exited with code 3"},
		{"blank stream left out", tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](0), Stdout: stream(" \n\n"), Stderr: stream("warn")},
			"Process exited with code 0\n\nstderr:\nwarn"},
		{"JSON as it is", tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](0), Stdout: stream(`{"a":"<b>"}`)},
			"Process exited with code 0\n\nstdout:\n{\"a\":\"<b>\"}"},
		{"signal", tool.CommandOutput{Disposition: tool.CommandSignaled, Signal: "SIGSEGV", Stderr: stream("oops\n")},
			"Process killed by signal SIGSEGV\n\nstderr:\noops"},
		{"both", tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](1), Stdout: stream("a\n"), Stderr: stream("b\n")},
			"Process exited with code 1\n\nstdout:\na\n\nstderr:\nb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, got := show(t, "execute_command", tool.Done("done", test.out), Options{}); got != test.want {
				t.Errorf("Render(...) = %q, want %q", got, test.want)
			}
		})
	}
}

func TestCommand_LargeStreamsShareAndGoToArtifacts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	opts := Options{MaxCommandOutput: 2000, Artifacts: NewArtifacts(dir, nil)}
	long, middle := numbered(5000), numbered(60)
	c := NewCapture(testCall, "stdout", opts)
	_, _ = c.Write([]byte(long))
	out := tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](0), Stdout: c.Stream(), Stderr: stream(middle)}
	res, text := show(t, "execute_command", tool.Done("done", out), opts)
	var got tool.CommandResult
	if err := json.Unmarshal(res.Result, &got); err != nil {
		t.Fatal(err)
	}
	checkCut(t, long, *got.StdoutPreview, 1000)
	checkCut(t, middle, *got.StderrPreview, 1000)
	if !got.Truncated || *got.StdoutArtifact != 0 || *got.StderrArtifact != 1 {
		t.Errorf("Project(...) = %+v, want both cut with an artifact each", got)
	}
	if !strings.Contains(*got.StdoutPreview, "; whole output: artifacts/2-0-stdout.log ...]") {
		t.Errorf("stdout_preview = %q, want it to name the artifact", *got.StdoutPreview)
	}
	if want := "\n\nArtifacts:\nartifacts/2-0-stdout.log (103893 bytes)\nartifacts/2-0-stderr.log (1131 bytes)"; !strings.HasSuffix(text, want) {
		t.Errorf("Render(...) ends with %q, want %q", text[len(text)-100:], want)
	}
	if saved, _ := os.ReadFile(filepath.Join(dir, "2-0-stderr.log")); string(saved) != middle {
		t.Errorf("artifact holds %d bytes, want the %d of stderr", len(saved), len(middle))
	}
}

func TestCommand_UnusedShareGoesToTheOther(t *testing.T) {
	opts := Options{MaxCommandOutput: 1000}
	out := tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](0),
		Stdout: stream(strings.Repeat("x", 989) + "\n"), Stderr: stream("0123456789")}
	res, _ := show(t, "execute_command", tool.Done("done", out), opts)
	if facts := res.Facts(); facts.OutputTruncated || *facts.OutputBytes != 1000 {
		t.Errorf("Facts() = %+v, want nothing cut of exactly the budget", facts)
	}
}

func TestCommand_EndedEarlyIsAnErrorWithThePayload(t *testing.T) {
	out := tool.Done("command timed out after 2000 ms", tool.CommandOutput{
		Disposition: tool.CommandTimedOut, Stdout: stream("half\n"), Stderr: stream(strings.Repeat("e", 3000)),
	})
	res, text := show(t, "execute_command", out, Options{})
	if res.Error == nil || res.Error.Kind != tool.KindCommandTimedOut || !strings.Contains(string(res.Error.Details), `"disposition":"timed_out"`) {
		t.Fatalf("Project(...) = %+v, want %s with the payload as details", res, tool.KindCommandTimedOut)
	}
	want := "Error (command_timed_out): command timed out after 2000 ms\nHint: " + *res.Error.RecoveryHint +
		"\n\nstdout:\nhalf\n\nstderr:\n" + strings.Repeat("e", 3000)
	if text != want {
		t.Errorf("Render(...) = %q, want %q", text, want)
	}
}

func TestFile_Renderings(t *testing.T) {
	sum := "abc"
	for _, test := range []struct {
		name string
		file tool.FileText
		want string
	}{
		{"text alone", tool.FileText{Bytes: 4, Lines: 2, FirstLine: 1, Text: "a\nb\n"}, "a\nb\n"},
		{"empty", tool.FileText{FirstLine: 1}, "(empty file)"},
		{"past the end", tool.FileText{Bytes: 4, Lines: 2, FirstLine: 9}, "(no line there; the file has 2 lines)"},
		{"binary", tool.FileText{Bytes: 4, Binary: true, SHA256: &sum}, "(binary file, 4 bytes, sha256 abc)"},
		{"one more", tool.FileText{Bytes: 9, Lines: 3, FirstLine: 2, Text: "b\n", More: true}, "b\n[... 1 more line, continue with offset_line 3 ...]"},
		{"more", tool.FileText{Bytes: 9, Lines: 4, FirstLine: 2, Text: "b\n", More: true}, "b\n[... 2 more lines, continue with offset_line 3 ...]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, got := show(t, "read_file", tool.Done("read", test.file), Options{}); got != test.want {
				t.Errorf("Render(...) = %q, want %q", got, test.want)
			}
		})
	}
}

func TestFile_CutOnALineEndLeadsOn(t *testing.T) {
	text := "begin\n" + numbered(3999)
	res, shown := show(t, "read_file", tool.Done("read", tool.FileText{Bytes: int64(len(text)), Lines: 4000, FirstLine: 1, Text: text[:50000], More: true}), Options{})
	var got tool.FilePreview
	if err := json.Unmarshal(res.Result, &got); err != nil {
		t.Fatal(err)
	}
	if len(shown) > fileBudget || !got.Truncated || !strings.HasSuffix(got.ContentPreview, "\n") {
		t.Errorf("Render(...) has %d bytes, truncated %v, want at most %d on a line end", len(shown), got.Truncated, fileBudget)
	}
	if want := int64(strings.Count(got.ContentPreview, "\n") + 1); got.NextOffsetLine == nil || *got.NextOffsetLine != want {
		t.Errorf("next_offset_line = %v, want %d", got.NextOffsetLine, want)
	}
}

func TestFile_OneLongLineIsCut(t *testing.T) {
	text := strings.Repeat("ä", 40000)
	_, shown := show(t, "read_file", tool.Done("read", tool.FileText{Bytes: 80000, Lines: 1, FirstLine: 1, Text: text}), Options{})
	if len(shown) > fileBudget || len(shown) < fileBudget-noteRoom || !utf8.ValidString(shown) || !strings.HasSuffix(shown, "\n[... the last line is cut ...]") {
		t.Errorf("Render(...) = %d bytes ending %q, want a cut line said so", len(shown), shown[len(shown)-60:])
	}
}

func TestList_Rendering(t *testing.T) {
	list := tool.FileList{Path: ".", Total: 4, Entries: []tool.Entry{
		{Path: "a\nb", Type: tool.EntryFile, Bytes: ptr[int64](0)}, {Path: "d", Type: tool.EntryDir},
		{Path: "l", Type: tool.EntrySymlink}, {Path: "p", Type: tool.EntryOther},
	}}
	_, got := show(t, "list_files", tool.Done("4 entries", list), Options{})
	if want := "a\\nb\nd/\nl (symlink)\np (not a file)"; got != want {
		t.Errorf("Render(...) = %q, want %q", got, want)
	}
	if _, got := show(t, "list_files", tool.Done("0 entries", tool.FileList{Path: "."}), Options{}); got != "(no entries)" {
		t.Errorf("Render(no entries) = %q", got)
	}
}

func TestList_CutToBudget(t *testing.T) {
	list := tool.FileList{Path: ".", Total: 9000}
	for range 2000 {
		list.Entries = append(list.Entries, tool.Entry{Path: strings.Repeat("p", 50), Type: tool.EntryFile})
	}
	res, text := show(t, "list_files", tool.Done("entries", list), Options{})
	if len(text) > listBudget || !res.Facts().OutputTruncated || !strings.Contains(text, "of 9000 entries omitted") {
		t.Errorf("Render(...) = %d bytes, facts %+v, want at most %d and the cut told", len(text), res.Facts(), listBudget)
	}
}

func TestConfirmations_OneLine(t *testing.T) {
	for _, test := range []struct {
		name    string
		payload any
		want    string
	}{
		{"write_file", tool.FileWritten{Path: "a/b.txt", Bytes: 5, Created: true}, "Created a/b.txt (5 bytes)"},
		{"write_file", tool.FileWritten{Path: "a\tb", Bytes: 5}, "Wrote a\\tb (5 bytes)"},
		{"git_commit", tool.Commit{Commit: "abc", Branch: "main", Files: []string{"x", "y"}, Summary: "subject"}, "Committed abc on main: subject\nx\ny"},
		{"some_other_tool", map[string]int{"n": 1}, "did it"},
	} {
		if _, got := show(t, test.name, tool.Done("did it", test.payload), Options{}); got != test.want {
			t.Errorf("Render(%s) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCommit_ManyFilesFitTheBudget(t *testing.T) {
	files := make([]string, 3000)
	for i := range files {
		files[i] = "some/long/path/to/a/file"
	}
	_, text := show(t, "git_commit", tool.Done("done", tool.Commit{Commit: "abc", Branch: "main", Files: files, Summary: "s"}), Options{})
	if len(text) > gitBudget || !strings.HasSuffix(text, "of 3000 files omitted ...]") {
		t.Errorf("Render(...) = %d bytes ending %q, want at most %d", len(text), text[len(text)-40:], gitBudget)
	}
}

func TestReceipt_ErrorHintDetails(t *testing.T) {
	err := tool.NewError(tool.KindPathOutsideWorkspace, "workdir is outside the workspace",
		tool.Detail{Name: "workdir", Value: "../x"}, tool.Detail{Name: "example", Value: map[string]string{"path": "<a>"}}).WithHint("stay inside")
	_, got := show(t, "execute_command", tool.Failed(err), Options{})
	want := "Error (path_outside_workspace): workdir is outside the workspace\nHint: stay inside\nworkdir: ../x\nexample: {\"path\":\"<a>\"}"
	if got != want {
		t.Errorf("Render(...) = %q, want %q", got, want)
	}
}

func TestReceipt_LargeDetailsAreCondensed(t *testing.T) {
	message := strings.Repeat("m", 1000)
	err := tool.NewError(tool.KindGitFailed, message, tool.Detail{Name: "stderr", Value: numbered(200)})
	res, text := show(t, "git_commit", tool.Failed(err), Options{})
	if len(text) > receiptBudget || !strings.Contains(text, message) || !strings.Contains(text, "sha256 ") || !strings.Contains(text, "begin: stderr: line 1 of") {
		t.Errorf("Render(...) = %d bytes %q, want the message whole and the details condensed", len(text), text)
	}
	if !strings.Contains(string(res.Error.Details), "line 200") {
		t.Error("the canonical details were cut below the budget of their family")
	}
}

func TestReceipt_WideMessageLeavesNoRoomForDetails(t *testing.T) {
	message := strings.Repeat("€", 1000)
	_, text := show(t, "git_commit", tool.Failed(tool.NewError(tool.KindGitFailed, message, tool.Detail{Name: "a", Value: 1})), Options{})
	if !strings.Contains(text, message) || !strings.Contains(text, "Hint: ") || strings.Contains(text, "a: 1") {
		t.Errorf("Render(...) = %q, want message and hint whole, no details", text)
	}
}

func TestProject_DetailsBeyondTheFamilysBudget(t *testing.T) {
	err := tool.NewError(tool.KindIO, "m", tool.Detail{Name: "x", Value: strings.Repeat("\x01", 5000)})
	res, _ := show(t, "write_file", tool.Failed(err), Options{})
	if len(res.Error.Details) > confirmBudget || !strings.Contains(string(res.Error.Details), `"sha256"`) {
		t.Errorf("Project(...).Error.Details has %d bytes, want at most %d with a digest", len(res.Error.Details), confirmBudget)
	}
}

// What the record could not keep whole is told once, by its own size.
func TestReceipt_DetailsCondensedForTheRecord(t *testing.T) {
	err := tool.NewError(tool.KindIO, "m", tool.Detail{Name: "x", Value: strings.Repeat("y", 100_000)})
	_, text := show(t, "read_file", tool.Failed(err), Options{})
	if !strings.Contains(text, "\ndetails: 100008 bytes, sha256 ") || !strings.Contains(text, "\nbegin: {\"x\":\"yyy") || strings.Count(text, "sha256") != 1 {
		t.Errorf("Render(...) = %q, want size and begin of the details themselves", text)
	}
}

func TestProject_DefectsOfTools(t *testing.T) {
	for name, out := range map[string]tool.Output{
		"both":          {Summary: "s", Payload: tool.Commit{}, Err: tool.NewError(tool.KindIO, "m")},
		"neither":       {Summary: "s"},
		"other family":  {Summary: "s", Payload: tool.FileWritten{}},
		"no summary":    {Payload: tool.Commit{}},
		"long summary":  {Summary: strings.Repeat("s", 201), Payload: tool.Commit{}},
		"empty message": {Summary: "s", Err: &tool.Error{Kind: tool.KindIO}},
	} {
		t.Run(name, func(t *testing.T) {
			if res, _ := show(t, "git_commit", out, Options{}); res.Error == nil || res.Error.Kind != tool.KindToolPanicked {
				t.Errorf("Project(%+v) = %+v, want kind %s", out, res, tool.KindToolPanicked)
			}
		})
	}
}

func TestProject_NamesThatAModelMadeUp(t *testing.T) {
	for give, want := range map[string]string{"": "(no name)", "a\xffb": "a\ufffdb", strings.Repeat("n", 5000): strings.Repeat("n", 256)} {
		res, text := show(t, give, tool.Failed(tool.NewError(tool.KindUnknownTool, "no such tool")), Options{})
		if res.ToolName != want || !strings.HasPrefix(text, "Error (unknown_tool): no such tool\n") {
			t.Errorf("Project(%.20q).ToolName = %q, %q, want %q", give, res.ToolName, text, want)
		}
	}
}

func TestProject_Deterministic(t *testing.T) {
	text := strings.Repeat("x\xff\n", 50000)
	first := ""
	for range 3 {
		dir := t.TempDir()
		opts := Options{Artifacts: NewArtifacts(dir, nil)}
		c := NewCapture(testCall, "stdout", opts)
		_, _ = c.Write([]byte(text))
		out := tool.CommandOutput{Disposition: tool.CommandCompleted, ExitStatus: ptr[int64](0), Stdout: c.Stream()}
		res, shown := show(t, "execute_command", tool.Done("done", out), opts)
		got := string(res.Result) + shown
		if first == "" {
			first = got
		}
		if got != first {
			t.Error("Project and Render gave two texts for the same output")
		}
	}
}

func TestRender_LoadedResultIsBounded(t *testing.T) {
	raw := `{"tool_name":"write_file","status":"success","summary_text":"s","result":{"path":"p","stdout_preview":1},"error":null}`
	res, err := tool.LoadResult([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	res.ToolName = "read_file"
	res.Result = json.RawMessage(`{"lines":1,"content_preview":"` + strings.Repeat("x", 1<<20) + `"}`)
	if got := Render(res, Options{}); len(got) > fileBudget+frameRoom {
		t.Errorf("Render(...) has %d bytes, want at most %d", len(got), fileBudget+frameRoom)
	}
}

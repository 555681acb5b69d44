package workspace

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
	"github.com/openagent-ci/openagent/internal/tool/search"
)

func TestSearchFiles_FindsLines(t *testing.T) {
	b := newBench(t)
	b.put("ws/a.go", "package a\n\nfunc main() {\n}\n")
	b.put("ws/d/b.txt", "the func main is in a.go\n")
	got, text := want[filesSearched](b, "search_files", m{"query": "func main"})
	wantFound := filesSearched{FilesSearched: 2, Total: 2, Matches: []search.Match{{Path: "a.go", Line: 3, Text: "func main() {"}, {Path: "d/b.txt", Line: 1, Text: "the func main is in a.go"}}}
	if diff := cmp.Diff(wantFound, got); diff != "" {
		t.Errorf("search_files (-want +got):\n%s", diff)
	}
	if text != "a.go:3:func main() {\nd/b.txt:1:the func main is in a.go" {
		t.Errorf("search_files = %q", text)
	}
	for _, test := range []struct {
		args m
		want string
	}{
		{m{"query": "^func", "regex": true, "context_lines": 1}, "a.go-2-\na.go:3:func main() {\na.go-4-}\n--"},
		{m{"query": "MAIN", "ignore_case": true, "path": "d"}, "d/b.txt:1:the func main is in a.go"},
		{m{"query": "main", "glob": "*.txt"}, "d/b.txt:1:the func main is in a.go"},
		{m{"query": "main", "path": "a.go"}, "a.go:3:func main() {"},
		{m{"query": "main", "path": "./d/../a.go", "max_results": 1}, "a.go:3:func main() {"},
		{m{"query": "a", "max_results": 1}, "a.go:1:package a\n[... 2 of 3 matches omitted; narrow path, glob or query, or raise max_results ...]"},
		{m{"query": "none"}, "(no line matches in 2 files)"},
		{m{"query": "main", "glob": "*.c"}, "(no file to search: ignored files, binary files and files that hold credentials are left out)"},
	} {
		if _, got := want[filesSearched](b, "search_files", test.args); got != test.want {
			t.Errorf("search_files(%v) = %q, want %q", test.args, got, test.want)
		}
	}
}

func TestSearchFiles_Refused(t *testing.T) {
	b := newBench(t)
	b.put("ws/f", "x")
	b.put("ws/.git/HEAD", "x")
	for _, test := range []struct {
		kind tool.ErrorKind
		args m
		want string
	}{
		{tool.KindInvalidInput, m{"query": "a(b", "regex": true}, "Error (invalid_tool_input): query cannot be searched for: error parsing regexp: missing closing ): `a(b`\nHint: RE2 has no look-around and no back-references; escape special characters by a backslash, or leave regex out to search for the text itself.\nquery: a(b"},
		{tool.KindInvalidInput, m{"query": "(?<=a)b", "regex": true}, "invalid named capture"},
		{tool.KindInvalidInput, m{"query": "a\nb"}, "lines are searched one by one"},
		{tool.KindInvalidInput, m{"query": ""}, "must not be empty"},
		{tool.KindNotFound, m{"query": "x", "path": "none"}, `"none" does not exist`},
		{tool.KindProtectedPath, m{"query": "x", "path": ".git"}, "read_file reads one file of it"},
		{tool.KindProtectedPath, m{"query": "x", "path": ".git/HEAD"}, "read_file reads one file of it"},
	} {
		if text := b.refused(test.kind, "search_files", test.args); !strings.Contains(text, test.want) {
			t.Errorf("search_files(%v) = %q, want %q", test.args, text, test.want)
		}
	}
	slow := newBench(t, func(o *Options) { o.ToolTimeout = time.Nanosecond })
	slow.put("ws/f", "x")
	slow.refused(tool.KindTooLarge, "search_files", m{"query": "x"})
}

func TestSearchFiles_LeavesCredentialsOut(t *testing.T) {
	b := newBench(t)
	b.put("ws/.npmrc", "token sk-test\n")
	b.put("ws/d/key.pem", testPEM)
	b.put("ws/d/plain", "no sk-test\n")
	b.link(".npmrc", "notes")
	if _, got := want[filesSearched](b, "search_files", m{"query": "sk-test"}); got != "d/plain:1:no sk-test" {
		t.Errorf("search_files = %q, want what holds no credentials alone", got)
	}
	for _, name := range []string{".npmrc", "d/key.pem", "notes"} {
		args := m{"query": "sk-test", "path": name}
		if text := b.refused(tool.KindProtectedPath, "search_files", args); strings.Contains(text, "token") {
			t.Errorf("search_files(%s) = %q, want nothing of it", name, text)
		}
		out := b.prepared("search_files", args).Run(context.Background(), tool.Call{PathAllowed: true})
		if out.Err != nil || !strings.Contains(out.Project().Text(), ":sk-test") && !strings.Contains(out.Project().Text(), ":token sk-test") {
			t.Errorf("search_files(%s) allowed by its path = %+v, want its line", name, out.Err)
		}
	}
	// A rule that allows the folder names none of them.
	out := b.prepared("search_files", m{"query": "sk-test"}).Run(context.Background(), tool.Call{PathAllowed: true})
	if out.Err != nil || out.Project().Text() != "d/plain:1:no sk-test" {
		t.Errorf("search_files of an allowed folder = %+v, want what holds no credentials alone", out)
	}
}

// In a repository the files are those that git would list.
func TestSearchFiles_AsGitLists(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	for _, name := range []string{"tracked", "untracked", "ignored.log", "build/out", "sub/deep/x", "sub/ignored.log", "kept.log", "gone", "nested/x", "nested/deep/y.log"} {
		b.put("ws/"+name, "word\n")
	}
	b.put("ws/.gitignore", "*.log\nbuild/\n!kept.log\n")
	b.link("tracked", "link")
	if out, err := exec.Command("git", "init", "-q", filepath.Join(b.root, "nested")).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v, %s", err, out)
	}
	want[gitCommitted](b, "git_commit", m{"message": "m", "files": []string{"tracked", "gone", "link"}})
	b.remove("gone")
	for path, names := range map[string]string{
		".": "kept.log sub/deep/x tracked untracked", "sub": "sub/deep/x", "build": "", "nested": "nested/deep/y.log nested/x", "nested/deep": "nested/deep/y.log", "ignored.log": "ignored.log",
	} {
		got, _ := want[filesSearched](b, "search_files", m{"query": "word", "path": path})
		var found []string
		for _, match := range got.Matches {
			found = append(found, match.Path)
		}
		if strings.Join(found, " ") != names {
			t.Errorf("search_files(%s) finds %q, want %q", path, found, names)
		}
	}
	b.put("ws/.git/index", "broken")
	if got, _ := want[filesSearched](b, "search_files", m{"query": "word", "path": "build"}); len(got.Matches) != 1 {
		t.Errorf("search_files where git cannot tell = %+v, want all files", got)
	}
}

func TestSearchFiles_FitsTheBudget(t *testing.T) {
	var found filesSearched
	for i := range 900 {
		found.Matches = append(found.Matches, search.Match{Path: fmt.Sprintf("f%d", i), Line: 1, Text: strings.Repeat("x", 300)})
	}
	found.Total, found.FilesSearched = 900, 900
	res, text := show(t, "search_files", tool.Done(found), result.Options{})
	if len(text) > searchBudget || len(text) < searchBudget-1000 || !res.Facts().OutputTruncated || !strings.Contains(text, "of 900 matches omitted") {
		t.Errorf("Text() = %d bytes, facts %+v, want at most %d and the cut told", len(text), res.Facts(), searchBudget)
	}
}

func TestSearchFiles_MasksSecrets(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Results.Mask = func(s string) string { return strings.ReplaceAll(s, "sk-test-0", "***") }
	})
	b.put("ws/f", "key = sk-test-0\nother\n")
	if _, got := want[filesSearched](b, "search_files", m{"query": "other", "context_lines": 1}); got != "f-1-key = ***\nf:2:other\n--" {
		t.Errorf("search_files = %q, want the line beside masked", got)
	}
	if _, got := want[filesSearched](b, "search_files", m{"query": "key"}); got != "f:1:key = ***" {
		t.Errorf("search_files = %q, want the line masked", got)
	}
}

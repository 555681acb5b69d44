package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestSummary_CountsAndTree(t *testing.T) {
	b := newBench(t)
	for name, content := range map[string]string{
		"README.md": "# it\n", "go.mod": "module x\n", "main.go": "package main\n", "a/b.go": "package a\n", "a/deep/er/c.go": "package er",
		"a/deep/x.bin": "\x00\x01", "a/README.md": "not of the root", ".git/config": "left out", "a/.git/x": "left out", "empty": "",
		"Dockerfile": "FROM x\n",
	} {
		b.put("ws/"+name, content)
	}
	b.link("a", "link")
	b.link("../outside", "out")
	b.put("outside/secret.go", "package secret")
	got, text := want[workspaceSummary](b, "get_workspace_summary", m{})
	file := func(path string, bytes int64) entry {
		return entry{Path: path, Type: entryFile, Bytes: &bytes}
	}
	wantSummary := workspaceSummary{
		Name: "ws", Files: 9, Dirs: 3, Bytes: 71,
		Languages: []Share{{Name: "Go", Files: 3, Bytes: 33}, {Name: "Markdown", Files: 2, Bytes: 20}, {Name: "Dockerfile", Files: 1, Bytes: 7}},
		KeyFiles:  []string{"Dockerfile", "README.md", "go.mod"},
		Tree: []entry{
			file("Dockerfile", 7), file("README.md", 5), {Path: "a", Type: entryDir}, file("a/README.md", 15), file("a/b.go", 10),
			{Path: "a/deep", Type: entryDir}, file("empty", 0), file("go.mod", 9), {Path: "link", Type: entrySymlink},
			file("main.go", 13), {Path: "out", Type: entrySymlink},
		},
	}
	if diff := cmp.Diff(wantSummary, got); diff != "" {
		t.Errorf("get_workspace_summary (-want +got):\n%s", diff)
	}
	wantText := `Workspace ws: 9 files, 3 folders, 71 bytes
Git: no repository found
Languages: Go (3 files, 33 bytes), Markdown (2 files, 20 bytes), Dockerfile (1 file, 7 bytes)
Key files: Dockerfile, README.md, go.mod

Tree, two levels deep:
Dockerfile
README.md
a/
a/README.md
a/b.go
a/deep/
empty
go.mod
link (symlink)
main.go
out (symlink)`
	if text != wantText {
		t.Errorf("text = %s\nwant %s", text, wantText)
	}
}

func TestSummary_EmptyWorkspace(t *testing.T) {
	_, text := want[workspaceSummary](newBench(t), "get_workspace_summary", nil)
	if want := "Workspace ws: 0 files, 0 folders, 0 bytes\nGit: no repository found"; text != want {
		t.Errorf("text = %q, want %q", text, want)
	}
}

func TestSummary_Repository(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	b.put("ws/a", "1")
	for _, want := range []gitState{{Branch: "main"}, {Branch: "main", Clean: true}} {
		got, text := wantSummary(b)
		if diff := cmp.Diff(&want, got.Git); diff != "" {
			t.Errorf("git of %q (-want +got):\n%s", text, diff)
		}
		b.call(context.Background(), "git_commit", m{"message": "m"})
	}
}

func wantSummary(b *bench) (workspaceSummary, string) {
	return want[workspaceSummary](b, "get_workspace_summary", m{})
}

// A folder with many files must not push the others out of the picture.
func TestSummary_UpperLevelComesFirst(t *testing.T) {
	b := newBench(t)
	for i := range 250 {
		b.put(fmt.Sprintf("ws/a/%03d", i), "")
	}
	for i := range 150 {
		b.put(fmt.Sprintf("ws/z%03d", i), "")
	}
	got, text := wantSummary(b)
	if len(got.Tree) != 200 || !got.Truncated || got.Files != 400 || got.Tree[199].Path != "z149" || got.Tree[1].Path != "a/000" {
		t.Errorf("get_workspace_summary = %d entries from %+v to %+v, truncated %v, want 200 to z149", len(got.Tree), got.Tree[1], got.Tree[199], got.Truncated)
	}
	if !strings.HasSuffix(text, "\n[... more entries omitted; use list_files ...]") {
		t.Errorf("text ends %q, want the cut told", text[len(text)-80:])
	}
}

func TestSummary_TimeAndClosedFolders(t *testing.T) {
	b := newBench(t)
	b.put("ws/closed/x", "12345")
	b.put("ws/x", "1")
	if err := os.Chmod(filepath.Join(b.root, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(b.root, "closed"), 0o755) })
	// The superuser reads it all the same.
	if got, _ := wantSummary(b); got.Dirs != 1 || got.Files < 1 {
		t.Errorf("get_workspace_summary = %+v, want the folder and what is beside it counted", got)
	}
	slow := newBench(t, func(o *Options) { o.ToolTimeout = time.Nanosecond })
	slow.put("ws/x", "")
	slow.refused(tool.KindTooLarge, "get_workspace_summary", m{})
}

func TestGitStatus_PayloadAndText(t *testing.T) {
	b := newBench(t)
	if text := b.refused(tool.KindGitFailed, "git_status", m{}); !strings.Contains(text, "not a git repository") {
		t.Errorf("receipt without a repository = %q", text)
	}
	withRepository(b)
	b.put("ws/new\nname", "x")
	b.put("ws/.gitignore", "ignored\n")
	b.put("ws/ignored", "x")
	got, text := want[gitStatus](b, "git_status", m{})
	wantStatus := gitStatus{Branch: "main", Total: 2, Entries: []statusEntry{
		{Path: ".gitignore", Index: "?", Worktree: "?"}, {Path: "new\nname", Index: "?", Worktree: "?"},
	}}
	if diff := cmp.Diff(wantStatus, got); diff != "" {
		t.Errorf("git_status (-want +got):\n%s", diff)
	}
	if want := "On main\n?? .gitignore\n?? new\\nname"; text != want {
		t.Errorf("git_status = %q, want %q", text, want)
	}
	b.call(context.Background(), "git_commit", m{"message": "m"})
	if _, text := want[gitStatus](b, "git_status", m{}); text != "On main\nNothing to commit." {
		t.Errorf("git_status of a clean tree = %q", text)
	}
}

func TestGitStatus_AfterTheEnd(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	ctx, cancel := context.WithCancel(context.Background())
	x := b.w.gitStatus()
	prepared, refused := x.Prepare(nil)
	if refused != nil {
		t.Fatal(refused.Message)
	}
	cancel()
	if out := prepared.Run(ctx, tool.Call{}); out.Err == nil || out.Err.Kind != tool.KindCancelled {
		t.Errorf("git_status after the end = %+v, want %s", out, tool.KindCancelled)
	}
}

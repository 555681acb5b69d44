//go:build unix

package workspace

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// times returns how often to do something: many times with
// OPENAGENT_TEST_LONG=1.
func times(short, long int) int {
	if os.Getenv("OPENAGENT_TEST_LONG") != "" {
		return long
	}
	return short
}

// What is no file is refused by every tool that would open it, without waiting
// and without being opened.
func TestFiles_SocketsAndDevices(t *testing.T) {
	b := newBench(t)
	t.Chdir(b.root) // the path of a socket is bounded
	listener, err := net.Listen("unix", "special")
	if err != nil {
		t.Fatal(err)
	}
	b.refuseSpecial()
	listener.Close()
	b.remove("special")
	if os.Geteuid() != 0 {
		t.Skip("only root makes devices")
	}
	const zero = 1<<8 | 5 // of Linux; elsewhere it is some other device, or none
	if err := syscall.Mknod("special", syscall.S_IFCHR|0o666, zero); err != nil {
		t.Skipf("root may not make devices here: %v", err)
	}
	b.refuseSpecial()
}

func (b *bench) refuseSpecial() {
	b.t.Helper()
	b.refused(tool.KindNotRegularFile, "read_file", m{"path": "special"})
	b.refused(tool.KindNotRegularFile, "write_file", m{"path": "special", "content": "x"})
	b.refused(tool.KindNotRegularFile, "search_files", m{"path": "special", "query": "x"})
	b.refused(tool.KindNotRegularFile, "edit_file", m{"path": "special", "old_text": "a", "new_text": "b"})
	b.refused(tool.KindNotRegularFile, "delete_file", m{"path": "special"})
	b.refused(tool.KindAlreadyExists, "create_directory", m{"path": "special"})
	b.refused(tool.KindNotFound, "execute_command", m{"command": "true", "workdir": "special"})
	if _, text := want[fileList](b, "list_files", m{}); text != "special (not a file)" {
		b.t.Errorf("list_files = %q, want it marked", text)
	}
}

// exchanging calls f again and again while name is now one thing and now
// another: a folder or file of the workspace, and a link to outside.
func (b *bench) exchanging(name, target string, n int, f func()) {
	b.t.Helper()
	if err := os.Symlink(target, filepath.Join(b.root, "other")); err != nil {
		b.t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() {
		close(stop)
		<-stopped
	}()
	go func() {
		defer close(stopped)
		one, two, aside := filepath.Join(b.root, name), filepath.Join(b.root, "other"), filepath.Join(b.root, "aside")
		for {
			select {
			case <-stop:
				return
			default:
			}
			// In place of the one comes the other, and back.
			_ = os.Rename(one, aside)
			_ = os.Rename(two, one)
			_ = os.Rename(one, two)
			_ = os.Rename(aside, one)
		}
	}()
	for range n {
		f()
	}
}

func TestRace_LinkInPlaceOfAFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("outside/secret", "sk-test-outside")
	b.put("ws/file", "inside\n")
	met := 0
	b.exchanging("file", "../outside/secret", times(4_000, 100_000), func() {
		out := b.run("read_file", m{"path": "file"})
		if out.Project != nil {
			met++
			if text := out.Project().Text(); text != "inside\n" {
				t.Fatalf("read_file gave %q, want only what is inside", text)
			}
		}
	})
	if met == 0 {
		t.Error("no call met the file, want some")
	}
}

func TestRace_LinkInPlaceOfAFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("outside/secret", "sk-test-outside")
	b.put("outside/d/kept", "")
	b.put("ws/dir/file", "inside\n")
	i := 0
	b.exchanging("dir", "../outside", times(4_000, 100_000), func() {
		i++
		switch i % 64 {
		case 0: // synced, which takes its time
			b.run("write_file", m{"path": "dir/secret", "content": "attack"})
		case 12: // synced too
			b.run("edit_file", m{"path": "dir/secret", "old_text": "sk-test", "new_text": "attack"})
		case 15, 25, 35:
			if out := b.run("search_files", m{"path": []string{"dir", "."}[i%2], "query": "sk-test"}); out.Project != nil && !strings.Contains(out.Project().Text(), "no ") {
				t.Fatalf("search_files gave %q, want only what is inside", out.Project().Text())
			}
		case 1, 21, 41:
			b.run("create_directory", m{"path": "dir/made/below"})
		case 2, 22, 42:
			b.run("delete_file", m{"path": "dir/secret"})
		case 3, 13, 23, 33, 43, 53:
			b.checkListed(b.run("list_files", m{"path": ".", "recursive": true}))
		case 4, 14, 24, 34, 44, 54:
			b.checkListed(b.run("list_files", m{"path": "dir"}))
		default:
			if out := b.run("read_file", m{"path": "dir/secret"}); out.Project != nil && out.Project().Text() != "attack" {
				t.Fatalf("read_file gave %q, want only what is inside", out.Project().Text())
			}
		}
	})
	if got := b.get("outside/secret"); got != "sk-test-outside" {
		t.Errorf("the file outside holds %q, want it untouched", got)
	}
	if entries, _ := os.ReadDir(b.outside); len(entries) != 2 {
		t.Errorf("the folder outside holds %v, want it untouched", entries)
	}
}

func (b *bench) checkListed(out tool.Output) {
	b.t.Helper()
	if out.Project != nil && strings.Contains(out.Project().Text()+"\n", "/kept\n") {
		b.t.Fatalf("list_files tells of %s, want only what is inside", out.Project().Text())
	}
}

// The folder that a command is to run in is held from the look at it on.
func TestRace_LinkInPlaceOfAWorkdir(t *testing.T) {
	b := newBench(t)
	b.put("ws/dir/file", "")
	outside, err := os.Stat(b.outside)
	if err != nil {
		t.Fatal(err)
	}
	b.exchanging("dir", "../outside", times(4_000, 100_000), func() {
		dir, refused := b.w.workdir("dir")
		if refused != nil {
			return
		}
		defer dir.Close()
		path, err := enterable(dir)
		if err != nil {
			return
		}
		if at, err := os.Stat(path); err == nil && os.SameFile(at, outside) {
			t.Fatal("a command would run outside")
		}
	})
}

// run calls a tool without making a result of its output.
func (b *bench) run(name string, args m) tool.Output {
	return b.prepared(name, args).Run(context.Background(), tool.Call{ID: "c", Step: 1})
}

func TestTools_AnotherFolderUnderThePath(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	b.put("ws/file", "inside")
	if err := os.Rename(b.root, b.root+"-moved"); err != nil {
		t.Fatal(err)
	}
	impostor := func() {
		b.put("outside/file", "impostor")
		b.link("outside", "../ws")
		cmd := exec.Command("git", "init", "-q")
		cmd.Dir = b.outside
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	impostor()
	for _, name := range []string{"git_status", "git_commit"} {
		args := m{}
		if name == "git_commit" {
			args = m{"message": "m"}
		}
		b.refused(tool.KindGitFailed, name, args)
	}
	if got, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); got.Git != nil || got.Files != 1 {
		t.Errorf("get_workspace_summary = %+v, want the folder that was opened, and no repository", got)
	}
	if got, _ := want[filePreview](b, "read_file", m{"path": "file"}); got.ContentPreview != "inside" {
		t.Errorf("read_file = %q, want the file of the folder that was opened", got.ContentPreview)
	}
	want[fileWritten](b, "write_file", m{"path": "file", "content": "new"})
	want[folderCreated](b, "create_directory", m{"path": "made"})
	if res, text := b.call(b.ctx, "execute_command", m{"command": "cat file; rm file"}); res.Error == nil && !strings.Contains(text, "new") {
		t.Errorf("execute_command = %q, want it in the folder that was opened, or refused", text)
	}
	if got := b.get("outside/file"); got != "impostor" {
		t.Errorf("the file of the impostor holds %q, want it untouched", got)
	}
	if entries, _ := os.ReadDir(b.outside); len(entries) != 2 {
		t.Errorf("the impostor holds %v, want its file and .git", entries)
	}
}

// Elsewhere than on Linux a command goes by the path, which is looked at again.
func TestPathOf_AnotherFolder(t *testing.T) {
	b := newBench(t)
	dir, refused := b.w.workdir(".")
	if refused != nil {
		t.Fatal(refused.Message)
	}
	defer dir.Close()
	if got, err := pathOf(dir); err != nil || filepath.Clean(got) != b.root {
		t.Errorf("pathOf(root) = %q, %v, want %s", got, err, b.root)
	}
	if err := os.Rename(b.root, b.root+"-moved"); err != nil {
		t.Fatal(err)
	}
	b.link("outside", "../ws")
	if got, err := pathOf(dir); !errors.Is(err, errMoved) {
		t.Errorf("pathOf(moved) = %q, %v, want %v", got, err, errMoved)
	}
}

func TestListFiles_ManyEntries(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	n := times(20_000, 1_000_000)
	var made sync.WaitGroup
	for part := range 4 {
		made.Go(func() {
			for i := part; i < n; i += 4 {
				fd, err := syscall.Open(fmt.Sprintf("%s/%07d", b.root, i), syscall.O_CREAT|syscall.O_WRONLY, 0o644)
				if err != nil {
					t.Error(err)
					return
				}
				_ = syscall.Close(fd)
			}
		})
	}
	made.Wait()
	list, _ := want[fileList](b, "list_files", m{"recursive": true, "max_entries": 10000})
	if list.Total != int64(n) || list.Entries[0].Path != "0000000" || !list.Truncated {
		t.Errorf("list_files = %d entries from %s, want %d from 0000000", list.Total, list.Entries[0].Path, n)
	}
	if got, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); got.Files != int64(n) {
		t.Errorf("get_workspace_summary = %d files, want %d", got.Files, n)
	}
}

// No tool that asks git runs a program that the repository names.
func TestGit_NothingOfTheRepositoryRuns(t *testing.T) {
	b := newBench(t)
	withRepository(b)
	mark := filepath.Join(b.outside, "sprung")
	trap := filepath.Join(b.outside, "trap")
	b.put("outside/trap", "#!/bin/sh\necho \"$0 $*\" >>'"+mark+"'\ncat\n")
	if err := os.Chmod(trap, 0o755); err != nil {
		t.Fatal(err)
	}
	config := b.get("ws/.git/config") + strings.ReplaceAll(`
[core]
	fsmonitor = TRAP
	hooksPath = TRAP
	pager = TRAP
	editor = TRAP
[commit]
	gpgSign = true
[gpg]
	program = TRAP
[diff]
	external = TRAP
[filter "x"]
	clean = TRAP
	process = TRAP
`, "TRAP", trap)
	b.put("ws/.git/config", config)
	b.put("ws/.git/info/attributes", "filtered filter=x\n")
	for _, hook := range []string{"pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change"} {
		b.put("ws/.git/hooks/"+hook, "#!/bin/sh\n"+trap+"\n")
		if err := os.Chmod(filepath.Join(b.root, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.put("ws/filtered", "x")
	b.put("ws/named", "x")
	b.put("ws/also", "x")
	if got, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); got.Git == nil || got.Git.Clean {
		t.Errorf("get_workspace_summary = %+v, want changes told", got.Git)
	}
	want[gitStatus](b, "git_status", m{})
	b.refused(tool.KindGitFailed, "git_commit", m{"message": "m"})
	if c, _ := want[gitCommitted](b, "git_commit", m{"message": "-m\n\nx", "files": []string{"named"}}); len(c.Files) != 1 || c.Files[0] != "named" {
		t.Errorf("git_commit holds %q, want the named file alone", c.Files)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("the repository ran a program: %s", ran)
	}
}

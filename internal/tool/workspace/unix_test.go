//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestFiles_PipeIsRefusedWithoutWaiting(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(filepath.Join(b.root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.refused(tool.KindNotRegularFile, "read_file", m{"path": "pipe"})
	b.refused(tool.KindNotRegularFile, "write_file", m{"path": "pipe", "content": "x"})
	b.refused(tool.KindNotRegularFile, "delete_file", m{"path": "pipe"})
	b.refused(tool.KindAlreadyExists, "create_directory", m{"path": "pipe"})
	if got, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); got.Files != 0 || len(got.Tree) != 1 {
		t.Errorf("get_workspace_summary = %+v, want no file, and the pipe in the tree", got)
	}
	if _, text := want[fileList](b, "list_files", m{}); text != "pipe (not a file)" {
		t.Errorf("list_files = %q, want the pipe marked", text)
	}
}

func TestWriteFile_KeepsTheMode(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.root, "run.sh")
	b.put("ws/run.sh", "old")
	for before, after := range map[os.FileMode]os.FileMode{
		0o751: 0o751, 0o600: 0o600, 0o444: 0o444, 0o777: 0o777,
		// What was written anew does not run as its owner any more.
		0o755 | os.ModeSetuid: 0o755, 0o775 | os.ModeSetgid: 0o775, 0o700 | os.ModeSetuid | os.ModeSetgid | os.ModeSticky: 0o700,
	} {
		if err := os.Chmod(file, before); err != nil {
			t.Fatal(err)
		}
		want[fileWritten](b, "write_file", m{"path": "run.sh", "content": "new"})
		if info, _ := os.Stat(file); info.Mode() != after {
			t.Errorf("mode after write_file over %v = %v, want %v", before, info.Mode(), after)
		}
	}
}

func TestFiles_NamesThatAreNoText(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.root, "a\xffb"), nil, 0o644); err != nil {
		t.Skipf("this file system takes only names that are text: %v", err)
	}
	b.put("ws/line\nbreak", "")
	_, text := want[fileList](b, "list_files", m{})
	if text != "a\\xffb\nline\\nbreak" {
		t.Errorf("list_files = %q, want one line for each with the bytes escaped", text)
	}
	if summary, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); summary.Tree[0].Path != `a\xffb` {
		t.Errorf("get_workspace_summary has %+v, want the bytes escaped", summary.Tree)
	}
	withRepository(b)
	if status, _ := want[gitStatus](b, "git_status", m{}); status.Entries[0].Path != `a\xffb` {
		t.Errorf("git_status has %+v, want the bytes escaped", status.Entries)
	}
}

func TestFiles_DeviceBehindALinkIsOutside(t *testing.T) {
	b := newBench(t)
	b.link("/dev/zero", "zero")
	if text := b.refused(tool.KindPathOutsideWorkspace, "read_file", m{"path": "zero"}); !strings.Contains(text, `"zero" is outside`) {
		t.Errorf("receipt = %q, want the path as given", text)
	}
}

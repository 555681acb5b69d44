package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestCreateDirectory_ParentsToo(t *testing.T) {
	b := newBench(t)
	b.put("ws/f", "")
	b.put("ws/real/x", "")
	b.link("real", "l")
	for _, test := range []struct {
		path, at string
		created  bool
		text     string
	}{
		{"a/b/c", "a/b/c", true, "Created folder a/b/c"},
		{"a/b/c", "a/b/c", false, "There is already a folder a/b/c"},
		{"./a/../a/b/", "a/b", false, "There is already a folder a/b"},
		{".", ".", false, "There is already a folder ."},
		{"l/new", "real/new", true, "Created folder real/new"},
		{"l", "real", false, "There is already a folder real"},
		{"ü é\n", "ü é\n", true, `Created folder ü é\n`},
	} {
		got, text := want[folderCreated](b, "create_directory", m{"path": test.path})
		if got != (folderCreated{Path: test.at, Created: test.created}) || text != test.text {
			t.Errorf("create_directory(%q) = %+v %q, want %s created %v %q", test.path, got, text, test.at, test.created, test.text)
		}
		if info, err := os.Stat(filepath.Join(b.root, test.at)); err != nil || !info.IsDir() {
			t.Errorf("create_directory(%q) left %v, %v, want a folder", test.path, info, err)
		}
	}
	b.refused(tool.KindAlreadyExists, "create_directory", m{"path": "f"})
	b.refused(tool.KindAlreadyExists, "create_directory", m{"path": "f/below"})
}

func TestDeleteFile_OneFile(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/five", "12345")
	b.put("ws/empty", "")
	b.put("ws/kept", "12345")
	b.link("kept", "link")
	b.link("nowhere", "dangling")
	b.link("d", "dl")
	for _, test := range []struct{ path, at, text string }{
		{"d/../d/five", "d/five", "Deleted d/five (5 bytes)"},
		{"empty", "empty", "Deleted empty (0 bytes)"},
		{"link", "link", "Deleted link (4 bytes)"},
		{"dangling", "dangling", "Deleted dangling (7 bytes)"},
	} {
		got, text := want[fileDeleted](b, "delete_file", m{"path": test.path})
		if got.Path != test.at || text != test.text {
			t.Errorf("delete_file(%s) = %+v %q, want %s %q", test.path, got, text, test.at, test.text)
		}
		if _, err := os.Lstat(filepath.Join(b.root, test.at)); err == nil {
			t.Errorf("delete_file(%s): it is still there", test.path)
		}
	}
	if got := b.get("ws/kept"); got != "12345" {
		t.Errorf("the target of a deleted link holds %q, want it as it was", got)
	}
	b.refused(tool.KindNotFound, "delete_file", m{"path": "empty"})
	b.refused(tool.KindNotFound, "delete_file", m{"path": "kept/below"})
	b.refused(tool.KindNotRegularFile, "delete_file", m{"path": "kept/"})
	for _, folder := range []string{"d", "d/", "."} {
		if text := b.refused(tool.KindNotRegularFile, "delete_file", m{"path": folder}); !strings.Contains(text, "is a folder") || !strings.Contains(text, "execute_command") {
			t.Errorf("delete_file(%s) = %q, want the way out", folder, text)
		}
	}
}

// Neither tool reaches what is outside or belongs to the repository, and
// neither tells what is there.
func TestFolders_RefusedPlaces(t *testing.T) {
	b := newBench(t)
	b.put("ws/.git/config", "kept")
	b.put("outside/secret", "kept")
	b.link("../outside", "out")
	b.link("../outside/secret", "file")
	b.link(".git", "own")
	for _, name := range []string{"create_directory", "delete_file"} {
		for path, kind := range map[string]tool.ErrorKind{
			"../outside/secret": tool.KindPathOutsideWorkspace, "/etc/hostname": tool.KindPathOutsideWorkspace,
			"out/secret": tool.KindPathOutsideWorkspace, "out/none": tool.KindPathOutsideWorkspace, "file": tool.KindPathOutsideWorkspace,
			"out":         tool.KindPathOutsideWorkspace,
			".git/config": tool.KindProtectedPath, ".GIT/config": tool.KindProtectedPath, "own/config": tool.KindProtectedPath,
			"x/.git/hooks": tool.KindProtectedPath, "own": tool.KindProtectedPath,
			"": tool.KindInvalidInput, "a\x00b": tool.KindInvalidInput,
		} {
			text := b.refused(kind, name, m{"path": path})
			if strings.Contains(text, b.outside) {
				t.Errorf("%s(%q) = %q, want nothing of the machine", name, path, text)
			}
		}
	}
	if b.get("ws/.git/config")+b.get("outside/secret") != "keptkept" {
		t.Error("a refused call changed something")
	}
}

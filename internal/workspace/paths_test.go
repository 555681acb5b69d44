package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/tool"
)

// ways are paths that leave the workspace; each is tried with every tool that
// takes a path.
func (b *bench) ways() []string {
	b.put("outside/secret.txt", "sk-test-secret")
	b.put("ws/sub/x.txt", "x")
	b.link("../outside", "out")
	b.link(b.outside, "abs")
	b.link("../outside/none", "dangling")
	b.link("../ws/sub", "detour")
	b.link("out", "indirect")
	b.link("..", "up")
	b.link(filepath.Join(b.root, "sub"), "absin")
	return []string{
		"..", "../outside/secret.txt", "sub/../../outside/secret.txt", "/etc/passwd", "/", b.root, filepath.Join(b.root, "sub"),
		"out", "out/secret.txt", "out/none", "abs", "abs/secret.txt", "abs/none", "dangling", "detour", "detour/x.txt",
		"indirect/secret.txt", "up/outside/secret.txt", "up/none", "absin/x.txt", "./out/../out/secret.txt", "../ws/sub/x.txt",
	}
}

func TestPaths_NoWayOut(t *testing.T) {
	b := newBench(t)
	for _, way := range b.ways() {
		for name, args := range map[string]m{
			"list_files":      {"path": way},
			"read_file":       {"path": way},
			"write_file":      {"path": way, "content": "attack"},
			"execute_command": {"command": "pwd", "workdir": way},
		} {
			if name == "list_files" && strings.Trim(way, "./") != "" && !strings.Contains(strings.Trim(way, "./"), "/") {
				continue // a link itself may be listed
			}
			text := b.refused(tool.KindPathOutsideWorkspace, name, args)
			if strings.Contains(text, "sk-test-secret") || strings.Contains(text, "exist") {
				t.Errorf("%s(%q) tells of the outside: %s", name, way, text)
			}
		}
	}
	if got := b.get("outside/secret.txt"); got != "sk-test-secret" {
		t.Errorf("the file outside holds %q, want it untouched", got)
	}
}

func TestPaths_OutsideTellsNothing(t *testing.T) {
	b := newBench(t)
	b.put("outside/yes", "x")
	b.link("../outside", "out")
	for _, name := range []string{"read_file", "list_files"} {
		there := b.refused(tool.KindPathOutsideWorkspace, name, m{"path": "out/yes"})
		not := b.refused(tool.KindPathOutsideWorkspace, name, m{"path": "out/nah"})
		if strings.ReplaceAll(there, "yes", "nah") != not {
			t.Errorf("%s: %q and %q differ, want the same for what is there and what is not", name, there, not)
		}
	}
}

// The argument that was wrong is the one that is named.
func TestPaths_WorkdirIsNamedInErrors(t *testing.T) {
	b := newBench(t)
	b.put("ws/f", "")
	for dir, want := range map[string]struct {
		kind    tool.ErrorKind
		message string
	}{
		"../x": {tool.KindPathOutsideWorkspace, `workdir "../x" is outside the workspace`},
		"none": {tool.KindNotFound, `workdir "none" does not exist`},
		"f":    {tool.KindNotFound, `workdir "f" is not a folder`},
	} {
		res, _ := b.call(b.ctx, "execute_command", m{"command": "true", "workdir": dir})
		if res.Error == nil || res.Error.Kind != want.kind || res.Error.Message != want.message || string(res.Error.Details) != `{"workdir":"`+dir+`"}` {
			t.Errorf("execute_command(workdir %s) = %+v, want %+v and the workdir in its details", dir, res.Error, want)
		}
	}
}

func TestPaths_ArtifactsAreReadOnly(t *testing.T) {
	b := newBench(t)
	const name = "artifact:artifacts/1-0-stdout.log"
	b.refused(tool.KindProtectedPath, "write_file", m{"path": name, "content": "x"})
	b.refused(tool.KindProtectedPath, "create_directory", m{"path": name})
	b.refused(tool.KindProtectedPath, "delete_file", m{"path": name})
	if entries, err := os.ReadDir(b.root); err != nil || len(entries) > 0 {
		t.Errorf("the workspace holds %v, %v, want nothing", entries, err)
	}
}

func TestPaths_AbsoluteInsideIsRefusedWithAHint(t *testing.T) {
	b := newBench(t)
	b.put("ws/a.txt", "x")
	text := b.refused(tool.KindPathOutsideWorkspace, "read_file", m{"path": filepath.Join(b.root, "a.txt")})
	if !strings.Contains(text, "Hint: Use a path relative to the workspace root") {
		t.Errorf("receipt = %q, want the hint to use a relative path", text)
	}
}

func TestPaths_DotDotInsideIsFine(t *testing.T) {
	b := newBench(t)
	b.put("ws/b.txt", "b\n")
	for _, path := range []string{"a/../b.txt", "./b.txt", "a//../b.txt"} {
		if _, got := want[tool.FilePreview](b, "read_file", m{"path": path}); got != "b\n" {
			t.Errorf("read_file(%s) = %q, want the file", path, got)
		}
	}
}

func TestPaths_InvalidInput(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{"", "a\x00b"} {
		b.refused(tool.KindInvalidInput, "read_file", m{"path": path})
		b.refused(tool.KindInvalidInput, "list_files", m{"path": path})
		b.refused(tool.KindInvalidInput, "write_file", m{"path": path, "content": "x"})
		b.refused(tool.KindInvalidInput, "execute_command", m{"command": "true", "workdir": path})
		b.refused(tool.KindInvalidInput, "git_commit", m{"message": "m", "files": []string{path}})
	}
}

func TestPaths_LinkLoopEnds(t *testing.T) {
	b := newBench(t)
	b.link("loop2", "loop1")
	b.link("loop1", "loop2")
	b.refused(tool.KindNotFound, "read_file", m{"path": "loop1"})
	b.refused(tool.KindNotFound, "write_file", m{"path": "loop1/x", "content": ""})
}

func TestPaths_GitDirIsProtected(t *testing.T) {
	b := newBench(t)
	b.put("ws/.git/config", "[core]\n")
	b.put("ws/a/b", "")
	b.link(".git", "g")
	b.link("../.git/hooks", "a/h")
	b.link(".git/config", "conf")
	for _, path := range []string{
		".git", ".git/config", ".git/hooks/pre-commit", ".GIT/config", ".Git/x", "a/../.git/config", "./.git/x", "g/config", "g/new",
		"a/h/pre-commit", "conf", "sub/.git/config", ".git./config", ".git /config", "git~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/x",
	} {
		b.refused(tool.KindProtectedPath, "write_file", m{"path": path, "content": "attack"})
	}
	if got := b.get("ws/.git/config"); got != "[core]\n" {
		t.Errorf(".git/config holds %q, want it untouched", got)
	}
	if _, err := os.Lstat(filepath.Join(b.root, "sub")); err == nil {
		t.Error("a refused write left the folder sub behind")
	}
	for _, path := range []string{".gitignore", ".github/x", "git/x", "a.git", ".git-x"} {
		want[tool.FileWritten](b, "write_file", m{"path": path, "content": "fine"})
	}
}

func TestPaths_LinkNamedGitIsProtected(t *testing.T) {
	b := newBench(t)
	b.put("ws/elsewhere/x", "")
	b.link("elsewhere", ".git")
	b.refused(tool.KindProtectedPath, "write_file", m{"path": ".git/config", "content": "attack"})
}

func TestEscapeName(t *testing.T) {
	for give, want := range map[string]string{"a/ä": "a/ä", "a\xffb": `a\xffb`, "\x80": `\x80`, "\xe2\x82": `\xe2\x82`, "\ufffd": "\ufffd"} {
		if got := escapeName(give); got != want {
			t.Errorf("escapeName(%q) = %q, want %q", give, got, want)
		}
	}
}

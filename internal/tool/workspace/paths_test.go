package workspace

import (
	"encoding/json"
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
	b.link("/proc/self/environ", "environ")
	b.link("../../../../../../../../proc/self", "status")
	b.link("../../outside", "sub/deep")
	return []string{
		"..", "../outside/secret.txt", "sub/../../outside/secret.txt", "/etc/passwd", "/", b.root, filepath.Join(b.root, "sub"),
		"out", "out/secret.txt", "out/none", "abs", "abs/secret.txt", "abs/none", "dangling", "detour", "detour/x.txt",
		"indirect/secret.txt", "up/outside/secret.txt", "up/none", "absin/x.txt", "./out/../out/secret.txt", "../ws/sub/x.txt",
		"environ", "status/environ", "sub/../abs/", "abs/.", "sub/deep/secret.txt", "sub/deep/none/x",
	}
}

// pathTools returns a call of every tool that takes a path, each with that path.
func pathTools(name string) map[string]m {
	return map[string]m{
		"list_files":       {"path": name},
		"read_file":        {"path": name},
		"write_file":       {"path": name, "content": "attack"},
		"edit_file":        {"path": name, "old_text": "sk", "new_text": "attack"},
		"search_files":     {"path": name, "query": "sk"},
		"create_directory": {"path": name},
		"delete_file":      {"path": name},
		"git_commit":       {"message": "m", "files": []string{name}},
		"execute_command":  {"command": "touch attack", "workdir": name},
	}
}

func TestPaths_NoWayOut(t *testing.T) {
	b := newBench(t)
	for _, way := range b.ways() {
		for name, args := range pathTools(way) {
			if name == "git_commit" && b.isLink(way) {
				continue // a link is committed as a link, and not followed
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
	if entries, err := os.ReadDir(b.outside); err != nil || len(entries) != 1 {
		t.Errorf("the folder outside holds %v, %v, want it untouched", entries, err)
	}
}

func (b *bench) isLink(name string) bool {
	if !filepath.IsLocal(name) {
		return false
	}
	info, err := os.Lstat(filepath.Join(b.root, name))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

func TestPaths_OutsideRevealsNothing(t *testing.T) {
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
		if _, got := want[filePreview](b, "read_file", m{"path": path}); got != "b\n" {
			t.Errorf("read_file(%s) = %q, want the file", path, got)
		}
	}
}

func TestPaths_InvalidInput(t *testing.T) {
	b := newBench(t)
	for _, way := range []string{"", "a\x00b", "\x00"} {
		for name, args := range pathTools(way) {
			b.refused(tool.KindInvalidInput, name, args)
		}
	}
}

// Names that no file system takes are errors like others: nothing waits, and
// nothing is made on the way.
func TestPaths_TooLong(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	withRepository(b)
	b.put("ws/base", "")
	for _, way := range []string{
		strings.Repeat("n", 256), "base/" + strings.Repeat("n", 256), strings.Repeat("ä", 128),
		strings.Repeat("n", 4097), strings.Repeat("n", 256) + "/" + strings.Repeat("p/", 2000) + "end",
	} {
		for name, args := range pathTools(way) {
			if res, text := b.call(b.ctx, name, args); res.Error == nil || len(text) > 3<<10 {
				t.Errorf("%s(%d bytes) = %q, want a short error", name, len(way), text)
			}
		}
	}
	if entries, _ := os.ReadDir(b.root); len(entries) != 2 {
		t.Errorf("the workspace holds %v, want base and .git", entries)
	}
}

// A path that takes for ever to follow is not followed, before a policy is asked
// of it either.
func TestPaths_MorePartsThanAnybodyMeans(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	way := strings.Repeat("p/", maxParts)
	if got := b.w.RealPath(way + "end"); got != way+"end" {
		t.Errorf("RealPath of %d parts is a path of %d bytes, want it as given", maxParts+1, len(got))
	}
	for _, name := range []string{"list_files", "read_file", "search_files", "write_file", "edit_file", "create_directory", "delete_file", "execute_command"} {
		b.refused(tool.KindInvalidInput, name, pathTools(way + "end")[name])
	}
	want[fileWritten](b, "write_file", m{"path": way[2:] + "end", "content": "deep"})
}

// A path of many short names is longer than a system call takes, and works.
func TestPaths_LongOfShortNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	folder := strings.Repeat("a-name-of-16-bytes/", 256) + "d"
	want[fileWritten](b, "write_file", m{"path": folder + "/file", "content": "deep\n"})
	if _, got := want[filePreview](b, "read_file", m{"path": folder + "/file"}); got != "deep\n" {
		t.Errorf("read_file(%d bytes) = %q, want what was written", len(folder)+5, got)
	}
	if list, _ := want[fileList](b, "list_files", m{"path": folder}); list.Total != 1 {
		t.Errorf("list_files(%d bytes) = %+v, want the file", len(folder), list)
	}
	want[folderCreated](b, "create_directory", m{"path": folder + "/more"})
	if summary, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); summary.Files != 1 {
		t.Errorf("get_workspace_summary = %d files, want the one", summary.Files)
	}
	want[fileDeleted](b, "delete_file", m{"path": folder + "/file"})
}

func TestPaths_OddNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	withRepository(b)
	for _, name := range []string{"new\nline", "tab\tand\rreturn", "-rf", "--help", "sp ace", "~", "$HOME", "`id`", "*", "ä\u200b", "\ufffd", ":(top)x", "a\\b"} {
		if filepath.Separator == '\\' {
			t.Skip("Windows takes few of these names")
		}
		content := "of " + name
		want[fileWritten](b, "write_file", m{"path": name, "content": content})
		if _, got := want[filePreview](b, "read_file", m{"path": name}); got != content {
			t.Errorf("read_file(%q) = %q, want %q", name, got, content)
		}
		if list, text := want[fileList](b, "list_files", m{"path": name}); list.Total != 1 || strings.ContainsAny(text, "\n\r\t") {
			t.Errorf("list_files(%q) = %q, want one line", name, text)
		}
		if c, _ := want[gitCommitted](b, "git_commit", m{"message": "m", "files": []string{name}}); len(c.Files) != 1 || c.Files[0] != name {
			t.Errorf("git_commit(%q) holds %q, want it alone", name, c.Files)
		}
		want[fileDeleted](b, "delete_file", m{"path": name})
		want[folderCreated](b, "create_directory", m{"path": name})
		if got, _ := want[commandPayload](b, "execute_command", m{"command": "touch here", "workdir": name}); *got.ExitStatus != 0 {
			t.Errorf("execute_command(workdir %q) = %+v, want it to work there", name, got)
		}
		if list, _ := want[fileList](b, "list_files", m{"path": name}); list.Total != 1 {
			t.Errorf("list_files(%q) = %+v, want the file that the command made", name, list)
		}
	}
}

// Bytes that are no text cannot come through JSON; what stands for them names
// no file.
func TestPaths_InvalidText(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.root, "a\xffb"), []byte("x"), 0o644); err != nil {
		t.Skipf("this file system takes only names that are text: %v", err)
	}
	for _, raw := range []string{"{\"path\": \"a\xffb\"}", `{"path": "a\ud800b"}`} {
		if _, text := b.call(b.ctx, "read_file", json.RawMessage(raw)); strings.Contains(text, "x\n") || !strings.HasPrefix(text, "Error (") {
			t.Errorf("read_file(%q) = %q, want an error", raw, text)
		}
	}
}

func TestPaths_LinkLoopEnds(t *testing.T) {
	b := newBench(t)
	b.link("loop2", "loop1")
	b.link("loop1", "loop2")
	b.link("self/self", "self")
	for _, way := range []string{"loop1", "loop1/x", "self", "loop2/"} {
		for name, args := range pathTools(way) {
			if name == "git_commit" && b.isLink(way) {
				continue // a link is committed as a link
			}
			if kind := tool.KindNotFound; name == "git_commit" {
				b.refused(tool.KindPathOutsideWorkspace, name, args)
			} else {
				b.refused(kind, name, args)
			}
		}
	}
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
		".git/", ".git/.", "./.git/config", ".git \u200d/x", ".git\\config", "sub/GIT~1", ".g\u206fit", "\u202a.git",
		"a/h/pre-commit", "conf", "sub/.git/config", ".git./config", ".git /config", "git~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/x",
	} {
		for name, args := range pathTools(path) {
			if name == "list_files" || name == "read_file" || name == "execute_command" {
				continue // looking is fine
			}
			if name == "git_commit" && b.isLink(path) {
				continue // a link is committed as a link
			}
			b.refused(tool.KindProtectedPath, name, args)
		}
	}
	if got := b.get("ws/.git/config"); got != "[core]\n" {
		t.Errorf(".git/config holds %q, want it untouched", got)
	}
	if _, err := os.Lstat(filepath.Join(b.root, "sub")); err == nil {
		t.Error("a refused write left the folder sub behind")
	}
	for _, path := range []string{".gitignore", ".github/x", "git/x", "a.git", ".git-x"} {
		want[fileWritten](b, "write_file", m{"path": path, "content": "fine"})
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

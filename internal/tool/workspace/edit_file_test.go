package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestEditFile_Replaces(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/f", "one\ntwo\nthree\ntwo\n")
	got, text := want[fileEdited](b, "edit_file", m{"path": "d/f", "old_text": "three\n", "new_text": "3\n4\n"})
	const after = "one\ntwo\n3\n4\ntwo\n"
	if diff := cmp.Diff(fileEdited{Path: "d/f", Bytes: int64(len(after)), Replacements: 1, FirstLine: 3, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(after)))}, got); diff != "" {
		t.Errorf("edit_file (-want +got):\n%s", diff)
	}
	if text != "Edited d/f at line 3 (16 bytes)" || b.get("ws/d/f") != after {
		t.Errorf("edit_file = %q and the file holds %q, want %q", text, b.get("ws/d/f"), after)
	}
	got, text = want[fileEdited](b, "edit_file", m{"path": "d/f", "old_text": "two\n", "new_text": "", "count": "2"})
	if text != "Edited d/f at 2 places, the first at line 2 (8 bytes)" || got.Replacements != 2 || b.get("ws/d/f") != "one\n3\n4\n" {
		t.Errorf("edit_file of two = %q, %+v, the file holds %q", text, got, b.get("ws/d/f"))
	}
	if entries, _ := os.ReadDir(filepath.Join(b.root, "d")); len(entries) != 1 {
		t.Errorf("the folder has %v, want no temporary file left", entries)
	}
}

func TestEditFile_LineEndsAreKept(t *testing.T) {
	b := newBench(t)
	b.put("ws/dos", "\ufeffa\r\n\tb\r\nc\r\n")
	want[fileEdited](b, "edit_file", m{"path": "dos", "old_text": "a\n\tb\n", "new_text": "a\n\tx\n\ty\n"})
	if got := b.get("ws/dos"); got != "\ufeffa\r\n\tx\r\n\ty\r\nc\r\n" {
		t.Errorf("edit_file of a file with CRLF leaves %q, want CRLF alone", got)
	}
	b.put("ws/mixed", "a\r\nb\nc\n")
	text := b.refused(tool.KindNotFound, "edit_file", m{"path": "mixed", "old_text": "a\nb\n", "new_text": "x"})
	if !strings.Contains(text, "lines 1 to 2 differ only in line ends") {
		t.Errorf("receipt = %q, want the line ends told", text)
	}
}

// One clear receipt each, and the file as it was.
func TestEditFile_RefusedAndUntouched(t *testing.T) {
	b := newBench(t)
	for name, text := range map[string]string{
		"f.go": "func a() {\n\treturn\n}\n\nfunc b() {\n\treturn\n}\n", "binary": "text\x00text", "d/x": "", "aaa": "aaa",
	} {
		b.put("ws/"+name, text)
	}
	for _, test := range []struct {
		kind tool.ErrorKind
		args m
		want string
	}{
		{tool.KindInvalidInput, m{"path": "f.go", "old_text": "\treturn\n", "new_text": "x"},
			`Error (invalid_tool_input): old_text was to be replaced in "f.go", but it is there 2 times, not once; nothing was written` +
				"\nHint: Add lines around the place that is meant to old_text, or give count 2 to replace all.\npath: f.go\nfound: 2\nlines: [2,6]"},
		{tool.KindInvalidInput, m{"path": "f.go", "old_text": "func a", "new_text": "x", "count": 3},
			`Error (invalid_tool_input): old_text was to be replaced in "f.go", but it is there once, not 3 times; nothing was written` +
				"\nHint: Add lines around one place to old_text, and edit one place after the other.\npath: f.go\nfound: 1\nlines: [1]"},
		{tool.KindInvalidInput, m{"path": "aaa", "old_text": "aa", "new_text": "x"},
			`Error (invalid_tool_input): old_text was to be replaced in "aaa", but it is there once, and places of it overlap, not once; nothing was written` +
				"\nHint: Add lines around one place to old_text, and edit one place after the other.\npath: aaa\nfound: 1\nlines: [1]"},
		{tool.KindNotFound, m{"path": "f.go", "old_text": "func b() {\n    return\n", "new_text": "x"},
			`Error (not_found): old_text was to be replaced in "f.go", but it is not there; lines 5 to 6 differ only in white space; nothing was written` +
				"\nHint: Copy old_text from the file exactly as read_file shows it.\npath: f.go\nnearest_line: 5\nnearest_text: func b() {\n\treturn"},
		{tool.KindNotFound, m{"path": "f.go", "old_text": "import java.util.Map;", "new_text": "x"},
			`Error (not_found): old_text was to be replaced in "f.go", but it is not there, even if white space is ignored; nothing was written` +
				"\nHint: Copy old_text from the file exactly as read_file shows it.\npath: f.go"},
		{tool.KindInvalidInput, m{"path": "f.go", "old_text": "func a", "new_text": "func a"},
			"Error (invalid_tool_input): old_text and new_text are the same: there is nothing to change" +
				"\nHint: Correct the arguments as the message says and call the tool again.\npath: f.go"},
		{tool.KindInvalidInput, m{"path": "f.go", "old_text": "func a", "new_text": "\x00"}, "must not contain a NUL character"},
		{tool.KindInvalidInput, m{"path": "binary", "old_text": "\x00", "new_text": "x"}, "must not contain a NUL character"},
		{tool.KindInvalidInput, m{"path": "f.go", "old_text": "", "new_text": "x"}, `argument "old_text" must not be empty`},
		{tool.KindInvalidInput, m{"path": "f.go", "old_text": "func a"}, `argument "new_text" is required`},
		{tool.KindInvalidInput, m{"path": "binary", "old_text": "text", "new_text": "x"}, `"binary" is a binary file, which is not edited`},
		{tool.KindNotFound, m{"path": "none", "old_text": "a", "new_text": "b"}, `"none" does not exist`},
		{tool.KindNotRegularFile, m{"path": "d", "old_text": "a", "new_text": "b"}, `"d" is a folder`},
		{tool.KindNotRegularFile, m{"path": "f.go/", "old_text": "func a", "new_text": "b"}, "is a folder"},
		{tool.KindProtectedPath, m{"path": "artifact:a", "old_text": "a", "new_text": "b"}, "names an artifact"},
	} {
		if text := b.refused(test.kind, "edit_file", test.args); !strings.Contains(text, test.want) {
			t.Errorf("edit_file(%v) = %q, want %q", test.args, text, test.want)
		}
	}
	if got := b.get("ws/f.go") + b.get("ws/binary") + b.get("ws/aaa"); got != "func a() {\n\treturn\n}\n\nfunc b() {\n\treturn\n}\ntext\x00textaaa" {
		t.Errorf("the files hold %q, want them untouched", got)
	}
	if entries, _ := os.ReadDir(b.root); len(entries) != 4 {
		t.Errorf("the workspace has %v, want no file more", entries)
	}
}

func TestEditFile_TooLarge(t *testing.T) {
	b := newBench(t)
	b.put("ws/huge", "text")
	for size, want := range map[int64]string{2 << 30: "larger than 10 MiB", maxEdited + 1: "larger than 10 MiB", maxEdited: "binary file"} {
		if err := os.Truncate(filepath.Join(b.root, "huge"), size); err != nil { // zeros follow, of which no disk knows
			t.Fatal(err)
		}
		if _, text := b.call(b.ctx, "edit_file", m{"path": "huge", "old_text": "text", "new_text": "x"}); !strings.Contains(text, want) {
			t.Errorf("edit_file of %d bytes = %q, want %q", size, text, want)
		}
	}
	b.put("ws/grows", strings.Repeat("a", 1000))
	text := b.refused(tool.KindTooLarge, "edit_file", m{"path": "grows", "old_text": "a", "new_text": strings.Repeat("b", 11<<10), "count": 1000})
	if !strings.Contains(text, "would become larger than 10 MiB") || b.get("ws/grows") != strings.Repeat("a", 1000) {
		t.Errorf("edit_file that makes 11 MB = %q, want it refused", text)
	}
}

func TestEditFile_CredentialsAndTheRepository(t *testing.T) {
	b := newBench(t)
	args := func(name string) m { return m{"path": name, "old_text": "sk-tset", "new_text": "x"} }
	b.put("ws/.npmrc", "sk-test")
	b.put("ws/key", testPEM)
	b.put("ws/.git/config", "sk-test")
	b.link(".npmrc", "plain")
	for _, name := range []string{".npmrc", "key", "plain", ".git/config"} {
		if text := b.refused(tool.KindProtectedPath, "edit_file", args(name)); strings.Contains(text, "sk-test") {
			t.Errorf("edit_file(%s) = %q, want nothing of it shown", name, text)
		}
	}
	allowed := tool.Call{PathAllowed: true}
	if out := b.prepared("edit_file", m{"path": ".npmrc", "old_text": "sk-test", "new_text": "x"}).Run(context.Background(), allowed); out.Err != nil || b.get("ws/.npmrc") != "x" {
		t.Errorf("edit_file(.npmrc) allowed by its path = %v, the file holds %q, want it edited", out.Err, b.get("ws/.npmrc"))
	}
	if out := b.prepared("edit_file", args(".git/config")).Run(context.Background(), allowed); out.Err == nil || out.Err.Kind != tool.KindProtectedPath {
		t.Errorf("edit_file(.git/config) allowed by its path = %v, want it refused as write_file refuses it", out.Err)
	}
}

func TestEditFile_LinksAndMode(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/target", "old\n")
	b.link("d/target", "l")
	if err := os.Chmod(filepath.Join(b.root, "d", "target"), 0o640); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(filepath.Join(b.root, "d", "target"))
	if got, _ := want[fileEdited](b, "edit_file", m{"path": "l", "old_text": "old", "new_text": "new"}); got.Path != "d/target" || b.get("ws/d/target") != "new\n" {
		t.Errorf("edit_file through a link = %+v, want its target edited", got)
	}
	if info, _ := os.Lstat(filepath.Join(b.root, "l")); info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("l is %v, want still a link", info.Mode())
	}
	if after, _ := os.Stat(filepath.Join(b.root, "d", "target")); after.Mode() != before.Mode() {
		t.Errorf("mode after edit_file = %v, want %v", after.Mode(), before.Mode())
	}
	b.put("outside/shared", "old")
	if err := os.Link(filepath.Join(b.outside, "shared"), filepath.Join(b.root, "hard")); err != nil {
		t.Fatal(err)
	}
	want[fileEdited](b, "edit_file", m{"path": "hard", "old_text": "old", "new_text": "new"})
	if b.get("outside/shared") != "old" || b.get("ws/hard") != "new" {
		t.Error("edit_file changed the other name of a hard link")
	}
}

// A passage that is shown is bounded, and masked before it is cut.
func TestEditFile_NearestIsBoundedAndMasked(t *testing.T) {
	secret := strings.Repeat("sk-test-", 90)
	b := newBench(t, func(o *Options) {
		o.Results.Mask = func(s string) string { return strings.ReplaceAll(s, secret, "***") }
	})
	b.put("ws/f", "key: "+secret+" end\n"+strings.Repeat("\tan ordinary line\n", 100))
	res, text := b.call(b.ctx, "edit_file", m{"path": "f", "old_text": "end\n" + strings.Repeat("an ordinary line\n", 50), "new_text": "x"})
	if res.Error == nil || strings.Contains(text, "sk-test") || !strings.Contains(text, "nearest_text: key: *** end\n\tan ordinary line\n") || !strings.HasSuffix(text, "ordinary line\n[... cut ...]") || len(text) > 2000 {
		t.Errorf("receipt = %q (%d bytes), want a masked passage that is cut", text, len(text))
	}
}

func TestEditFile_SeesThatAnotherWrote(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.root, "f")
	for name, write := range map[string]func() error{
		"longer": func() error { return os.WriteFile(file, []byte("more"), 0o644) },
		"later":  func() error { return os.Chtimes(file, time.Time{}, time.Unix(1, 0)) },
		"another": func() error {
			return errors.Join(os.Rename(file, file+"-old"), os.Link(file+"-old", file+"-link"), os.WriteFile(file, []byte("old"), 0o644))
		},
		"gone": func() error { return os.Remove(file) },
	} {
		b.put("ws/f", "old")
		was, err := os.Lstat(file)
		if err != nil || !b.w.isStill("f", was) {
			t.Fatalf("isStill(f) = false, %v, want it as it was", err)
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
		if name == "another" || name == "longer" {
			if err := os.Chtimes(file, time.Time{}, was.ModTime()); err != nil {
				t.Fatal(err)
			}
		}
		if b.w.isStill("f", was) {
			t.Errorf("isStill(f) of one that is %s = true, want false", name)
		}
	}
}

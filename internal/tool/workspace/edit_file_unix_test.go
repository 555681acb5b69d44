//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/tool"
)

// sources returns files of Go's own library, which nobody wrote for these tests.
func sources(t testing.TB, most int) []string {
	t.Helper()
	var found []string
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no go here to ask for its sources: %v", err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src", "net")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".go") && len(found) < most {
			found = append(found, path)
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Skipf("no sources of Go in %s: %v", root, err)
	}
	return found
}

// An edit of a real file is the one that sed makes: every word "return" of a file,
// and one whole line that is there once.
func TestEditFile_AsSed(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("sed is not there")
	}
	b := newBench(t, func(o *Options) { o.Scratch = true })
	edits := 0
	for _, source := range sources(t, 60) {
		raw, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		if n := strings.Count(text, "return"); n > 0 {
			edits++
			b.put("ws/f", text)
			want[fileEdited](b, "edit_file", m{"path": "f", "old_text": "return", "new_text": "give back", "count": n})
			b.compareToSed(source, "s/return/give back/g")
		}
		lines := strings.Split(text, "\n")
		line := lines[len(lines)/2]
		if line == "" || strings.Count(text, line) != 1 || !utf8.ValidString(line) {
			continue
		}
		edits++
		b.put("ws/f", text)
		got, _ := want[fileEdited](b, "edit_file", m{"path": "f", "old_text": line + "\n", "new_text": ""})
		if got.FirstLine != int64(len(lines)/2+1) {
			t.Errorf("edit_file of %s tells of line %d, want %d", source, got.FirstLine, len(lines)/2+1)
		}
		b.compareToSed(source, "/^"+strings.ReplaceAll(regexp.QuoteMeta(line), "/", `\/`)+"$/d")
	}
	if edits < 60 {
		t.Errorf("%d edits were compared, want more", edits)
	}
}

// compareToSed compares the file f with what sed -E makes of a source.
func (b *bench) compareToSed(source, script string) {
	b.t.Helper()
	out, err := exec.Command("sed", "-E", script, source).Output()
	if err != nil {
		b.t.Fatalf("sed -E %q: %v", script, err)
	}
	if got := b.get("ws/f"); got != string(out) {
		b.t.Errorf("edit_file leaves %d bytes of %s, sed -E %q makes %d others", len(got), source, script, len(out))
	}
}

func TestEditFile_KeepsTheMode(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.root, "run.sh")
	for before, after := range map[os.FileMode]os.FileMode{0o751: 0o751, 0o600: 0o600, 0o755 | os.ModeSetuid: 0o755} {
		b.put("ws/run.sh", "old")
		if err := os.Chmod(file, before); err != nil {
			t.Fatal(err)
		}
		want[fileEdited](b, "edit_file", m{"path": "run.sh", "old_text": "old", "new_text": "new"})
		if info, _ := os.Stat(file); info.Mode() != after {
			t.Errorf("mode after edit_file of %v = %v, want %v", before, info.Mode(), after)
		}
	}
}

func TestEditFile_PipeAndFolderWithoutRights(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(filepath.Join(b.root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.refused(tool.KindNotRegularFile, "edit_file", m{"path": "pipe", "old_text": "a", "new_text": "b"})
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b.put("ws/d/f", "old")
	if err := os.Chmod(filepath.Join(b.root, "d"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(b.root, "d"), 0o755) })
	b.refused(tool.KindIO, "edit_file", m{"path": "d/f", "old_text": "old", "new_text": "new"})
	if got := b.get("ws/d/f"); got != "old" {
		t.Errorf("the file holds %q, want it untouched", got)
	}
}

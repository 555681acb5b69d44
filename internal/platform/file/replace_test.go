package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReplace_KeepsTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("Replace: mode is %v, %v, want %v", after.Mode(), err, before.Mode())
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
		t.Errorf("Replace: file is %q, %v", text, err)
	}
}

func TestReplace_WritesThroughALink(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "kept"), 0o755), os.WriteFile(filepath.Join(dir, "kept", "f"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("kept", "f"), link); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	if err := Replace(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("Replace left %v, %v where the link was", info.Mode(), err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "kept", "f")); err != nil || string(text) != "new" {
		t.Errorf("Replace: target is %q, %v, want it written", text, err)
	}
}

func TestReplace_RefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"folder"}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err == nil {
		names = append(names, "dangling")
	}
	if err := os.Symlink("folder", filepath.Join(dir, "linked")); err == nil {
		names = append(names, "linked")
	}
	for _, name := range names {
		if err := Replace(filepath.Join(dir, name), []byte("new")); err == nil {
			t.Errorf("Replace of %s = nil, want an error", name)
		}
	}
}

package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWrite_ReplacesWholeAndLeavesNothingBeside(t *testing.T) {
	begin := func(dir, name string, data []byte, perm os.FileMode) error {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		return Begin(root, name, data, perm)
	}
	dir := t.TempDir()
	for name, write := range map[string]func(string, string, []byte, os.FileMode) error{"WriteIn": WriteIn, "Begin": begin} {
		for _, content := range []string{"first, and longer", "second"} {
			if err := write(dir, "f", []byte(content), 0o640); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "f"))
			if err != nil || string(got) != content {
				t.Errorf("after %s(%q): file holds %q, %v", name, content, got, err)
			}
		}
	}
	info, err := os.Stat(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %o, want 640", info.Mode().Perm())
	}
	if entries, err := os.ReadDir(dir); len(entries) != 1 || err != nil {
		t.Errorf("folder holds %v, %v, want the file alone", entries, err)
	}
}

func TestWrite_FailureKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "taken", "by"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A folder cannot be replaced by a file: the rename fails at the end.
	if err := WriteIn(dir, "taken", []byte("x"), 0o600); err == nil {
		t.Error("WriteIn over a folder: want an error")
	}
	if entries, err := os.ReadDir(dir); len(entries) != 1 || err != nil {
		t.Errorf("folder holds %v, %v, want no temporary file", entries, err)
	}
}

func TestCreate_ModeOfNewFiles(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	plain, err := root.Create("plain")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err := Scratch(false).Create(root, "f", []byte("new")); err != nil {
		t.Fatal(err)
	}
	want, _ := plain.Stat()
	if got, err := root.Stat("f"); err != nil || got.Mode() != want.Mode() || got.Size() != 3 {
		t.Errorf("Create: mode and size are %v, %d, %v, want %v as of any new file, 3", got.Mode(), got.Size(), err, want.Mode())
	}
}

// A file that is closed cannot be synced, which shows who tries.
func TestScratch_WaitsForNoDisk(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, s := range []Scratch{false, true} {
		if err := s.Sync(f); (err == nil) != bool(s) {
			t.Errorf("Scratch(%v).Sync of a closed file = %v", s, err)
		}
	}
}

package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWritten_IsIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var w Written
	if w.IsIn(path) {
		t.Error("IsIn of no file = true")
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	if !w.IsIn(path) {
		t.Error("IsIn of an empty file, nothing written = false")
	}
	w.Add([]byte("one\n"))
	w.Add([]byte("two\n"))
	for text, want := range map[string]bool{
		"one\ntwo\n": true, "": false, "one\n": false, "one\ntwo\nmore\n": false, "one\nTWO\n": false,
	} {
		write(text)
		if got := w.IsIn(path); got != want {
			t.Errorf("IsIn of %q = %t, want %t", text, got, want)
		}
	}
	write("one\ntwo\nmore\n")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, whole := w.Read(f); !whole || string(text) != "one\ntwo\n" {
		t.Errorf("Read() = %q, %t, want what was written", text, whole)
	}
	write("one\ntwo\n")
	if err := os.Rename(path, path+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+"x", path); err == nil && w.IsIn(path) {
		t.Error("IsIn of a link = true")
	}
}

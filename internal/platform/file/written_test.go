package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWritten_IsIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var w Written
	is := func(want bool, about string) {
		t.Helper()
		if got, err := w.IsIn(path); got != want || err != nil {
			t.Errorf("IsIn of %s = %t, %v, want %t", about, got, err, want)
		}
	}
	is(false, "no file")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	is(true, "an empty file, nothing written")
	w.Add([]byte("one\n"))
	w.Add([]byte("two\n"))
	for text, want := range map[string]bool{
		"one\ntwo\n": true, "": false, "one\n": false, "one\ntwo\nmore\n": false, "one\nTWO\n": false,
	} {
		write(text)
		is(want, text)
	}
	write("one\ntwo\nmore\n")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, whole, err := w.Read(f); !whole || err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("Read() = %q, %t, %v, want what was written", text, whole, err)
	}
	write("one\ntwo\n")
	if err := os.Rename(path, path+"x"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path+"x", path); err == nil {
		is(false, "a link")
	}
}

// What cannot be read is an error: nobody knows whether it was changed.
func TestWritten_Unreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var w Written
	w.Add([]byte("one\n"))
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, whole, err := w.Read(f); whole || err == nil {
		t.Errorf("Read() of a closed file = %t, %v, want an error", whole, err)
	}
	if is, err := w.IsIn(filepath.Join(path, strings.Repeat("x", 5000))); is || err == nil {
		t.Errorf("IsIn of a name that cannot be looked up = %t, %v, want an error", is, err)
	}
}

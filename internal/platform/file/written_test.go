package file

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
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
	var text strings.Builder
	if whole, err := w.CopyTo(&text, f); !whole || err != nil || text.String() != "one\ntwo\n" {
		t.Errorf("CopyTo() = %q, %t, %v, want what was written", text.String(), whole, err)
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
	if whole, err := w.CopyTo(io.Discard, f); whole || err == nil {
		t.Errorf("CopyTo() of a closed file = %t, %v, want an error", whole, err)
	}
	if is, err := w.IsIn(filepath.Join(path, strings.Repeat("x", 5000))); is || err == nil {
		t.Errorf("IsIn of a name that cannot be looked up = %t, %v, want an error", is, err)
	}
}

// The bytes of a long file are never all in memory.
func TestWritten_IsIn_HoldsNoFile(t *testing.T) {
	path, text := filepath.Join(t.TempDir(), "f"), make([]byte, 8<<20)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var w Written
	w.Add(text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	whole, err := w.IsIn(path)
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; !whole || err != nil || made > 1<<20 {
		t.Errorf("IsIn() = %t, %v and made %d bytes, want true and at most 1 MiB", whole, err, made)
	}
}

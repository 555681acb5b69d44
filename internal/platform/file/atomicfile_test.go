package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// What came while the file was filled stays, and nothing is left beside it.
func TestWriteNewFrom_WhatCameMeanwhileStays(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, came := range []bool{false, true} {
		err := Scratch(true).WriteNewFrom(root, fmt.Sprint("f", came), 0o600, func(w io.Writer) error {
			if came {
				if err := root.WriteFile("ftrue", []byte("first"), 0o600); err != nil {
					return err
				}
			}
			_, err := io.WriteString(w, "mine")
			return err
		})
		if errors.Is(err, fs.ErrExist) != came || !came && err != nil {
			t.Errorf("WriteNewFrom with a file that came %v = %v", came, err)
		}
	}
	mine, _ := os.ReadFile(filepath.Join(dir, "ffalse"))
	first, _ := os.ReadFile(filepath.Join(dir, "ftrue"))
	if entries, err := os.ReadDir(dir); string(mine) != "mine" || string(first) != "first" || len(entries) != 2 || err != nil {
		t.Errorf("files hold %q and %q, the folder %v, %v, want each by whoever came first and nothing else", mine, first, entries, err)
	}
}

// An error calls the file by its name, not by that of the temporary one.
func TestWrite_ErrorsNameTheFile(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	err = Scratch(true).WriteFrom(root, "page", 0o600, func(w io.Writer) error {
		w.(*os.File).Close() // a write to it fails then
		_, err := io.WriteString(w, "x")
		return err
	})
	if err == nil || err.Error() != "write page: file already closed" {
		t.Errorf("WriteFrom = %v, want an error that names the file", err)
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

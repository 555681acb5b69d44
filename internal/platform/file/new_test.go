package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteNew_WhatIsThereStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	if err := WriteNew(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("WriteNew over a file = %v, want that it exists", err)
	}
	if got, err := os.ReadFile(path); string(got) != "first" {
		t.Errorf("the file holds %q, %v, want what was written first", got, err)
	}
}

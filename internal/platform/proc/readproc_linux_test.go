package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A file that is longer than what is read at once is read whole.
func TestReadProc_Whole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "children")
	want := bytes.Repeat([]byte("12345 "), 10_000)
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readProc(path, nil); err != nil || !bytes.Equal(got, want) {
		t.Errorf("readProc of %d bytes = %d bytes, %v, want all", len(want), len(got), err)
	}
	if _, err := readProc(path+"x", nil); !os.IsNotExist(err) {
		t.Errorf("readProc of no file = %v, want that there is none", err)
	}
}

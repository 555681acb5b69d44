package golden_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

func TestExport_IsUsableWithoutGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "kit")
	for range 2 { // a second time over the first
		if err := golden.Export(dir); err != nil {
			t.Fatal(err)
		}
	}
	index, err := os.ReadFile(filepath.Join(dir, "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct{ File string }
	if err := json.Unmarshal(index, &vectors); err != nil {
		t.Fatal(err)
	}
	want := golden.Vectors()
	if len(vectors) != len(want) {
		t.Fatalf("vectors.json has %d vectors, want %d", len(vectors), len(want))
	}
	for i, v := range vectors {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(v.File)))
		if err != nil || !bytes.Equal(got, want[i].Stream) {
			t.Errorf("%s: %d bytes, %v, want the stream of %s", v.File, len(got), err, want[i].Name)
		}
	}
	if readme, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || !bytes.Contains(readme, []byte("OPENAGENT_STRICT=1")) {
		t.Errorf("README.md: %v, want how a command proves itself", err)
	}
}

func TestExport_ReportsWhatFailed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := golden.Export(file); err == nil {
		t.Error("Export over a file = nil, want an error")
	}
}

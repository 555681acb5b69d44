package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that cannot be written is a failed delivery; what was written stays.
func TestInit_FolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "", "init", file); got.status == StatusOK || got.out != "" || !strings.HasPrefix(got.err, "openagent: error: ") {
		t.Errorf("openagent init FILE = %+v, want an error", got)
	}
}

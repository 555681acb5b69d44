package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/process"
)

// What cannot be read to its end, or only once, is refused before anything runs.
func TestFind_RefusesWhatIsNoScript(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.txtar")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, process.MaxInput+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{huge: "is larger than", os.DevNull: "is no regular file"} {
		if files, err := Find([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%s) = %v, %v, want an error that says %q", path, files, err, want)
		}
	}
}

// Results go by name, so two scripts of one name would be one.
func TestFind_NamesAreUnique(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "x.txtar"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Find([]string{filepath.Join(dir, "a")}); err != nil || len(got) != 1 || got[0].Name != "x" {
		t.Errorf("Find = %v, %v, want x", got, err)
	}
	if got, err := Find([]string{dir}); err == nil || !strings.Contains(err.Error(), "two scripts have the name x") {
		t.Errorf("Find = %v, %v, want that x stands twice", got, err)
	}
}

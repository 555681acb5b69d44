package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/process"
)

// What cannot be read to its end, or only once, is refused before anything runs.
func TestScriptFiles_RefusesWhatIsNoScript(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.txtar")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, process.MaxInput+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{huge: "is larger than", os.DevNull: "is no regular file"} {
		if files, err := FindScripts([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("FindScripts(%s) = %q, %v, want an error that says %q", path, files, err, want)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The workflow that init writes pins the actions that our own workflow does.
func TestInit_ActionsArePinnedAsOurs(t *testing.T) {
	ours, err := os.ReadFile("../../.github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"starter/workflow.yml", "starter/agent-workflow.yml"} {
		workflow, err := starterFiles.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		uses := regexp.MustCompile(`uses: .*`).FindAllString(string(workflow), -1)
		if len(uses) == 0 {
			t.Fatalf("%s uses no action, want those that check out and set up", file)
		}
		for _, u := range uses {
			if !strings.Contains(string(ours), u) {
				t.Errorf("%s has %q, which ci.yml has not", file, u)
			}
		}
	}
}

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

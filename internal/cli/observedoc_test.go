package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What docs/schema-versions.md shows of schema observe is what the script compares with
// what is printed.
func TestDocs_ObservationsAreThoseOfTheScript(t *testing.T) {
	script, err := os.ReadFile(filepath.FromSlash("../../testscript/testdata/schema_observe.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.FromSlash("../../docs/schema-versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	for command, name := range map[string]string{"events.jsonl": "want-first", "newer.jsonl\n...": "want-drift"} {
		_, rest, found := strings.Cut(string(script), "\n-- "+name+" --\n")
		want, _, _ := strings.Cut(rest, "\n-- ")
		block := "```console\n$ openagent schema observe " + command + "\n" + want + "\n```\n"
		if !found || !strings.Contains(string(doc), block) {
			t.Errorf("docs/schema-versions.md lacks what the script expects:\n%s", block)
		}
	}
}

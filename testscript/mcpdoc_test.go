package testscript_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The files of the example in docs/mcp.md are those that docs_mcp.txtar runs.
func TestMCP_ExampleIsRun(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile(filepath.Join("testdata", "docs_mcp.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]string{}
	for _, f := range script.Files {
		run[f.Name] = string(f.Data)
	}
	shown := regexp.MustCompile("(?ms)^```\\w+ file=(\\S+)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(shown) != 5 {
		t.Fatalf("docs/mcp.md shows %d files, want 5", len(shown))
	}
	for _, m := range shown {
		if run[m[1]] != m[2] {
			t.Errorf("docs/mcp.md shows another %s than docs_mcp.txtar runs:\n%s", m[1], m[2])
		}
	}
}

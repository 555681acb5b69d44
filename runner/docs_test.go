package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the documentation shows is what the examples run.
func TestDocs_CodeIsThatOfTheExamples(t *testing.T) {
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(text), "\t", "")
	}
	code := read("example_test.go") + read("example_unix_test.go")
	parts := strings.Split(read("..", "docs", "harness.md"), "```go\n")[1:]
	if len(parts) < 3 {
		t.Fatalf("harness.md shows %d pieces of Go, want three", len(parts))
	}
	for _, part := range parts {
		if shown, _, _ := strings.Cut(part, "\n```"); !strings.Contains(code, shown) {
			t.Errorf("harness.md shows what no example runs:\n%s", shown)
		}
	}
}

package layers

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Ratchets: what there is may only fall.
const (
	maxCode  = 93_200
	maxTests = 80_000
)

// TestBudgets counts the lines of code and of tests, generated files and data apart.
func TestBudgets(t *testing.T) {
	root := filepath.Join("..", "..")
	var code, tests int
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(p[min(len(root)+1, len(p)):])
		if d.IsDir() && rel != "" && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "internal/demo/workspace" || rel == "internal/tools" || rel == "schema/bindings/go") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(rel, ".go") {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		lines := bytes.Count(src, []byte("\n"))
		if strings.HasSuffix(rel, "_test.go") || slices.Contains(onlyForTests, path.Dir(rel)) {
			tests += lines
		} else {
			code += lines
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d lines of code, %d of tests", code, tests)
	if code > maxCode || code < maxCode/2 {
		t.Errorf("%d lines of code, want at most %d", code, maxCode)
	}
	if tests > maxTests || tests < maxTests/2 {
		t.Errorf("%d lines of tests, want at most %d", tests, maxTests)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files fills a folder and returns it; names end with a slash for folders.
func files(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			path = filepath.Join(path, "x")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheck_OneInputThatCannotBeReadHidesNoOther(t *testing.T) {
	dir := files(t, "a.jsonl")
	status, out, errs := command("", "check", filepath.Join(dir, "none.jsonl"), dir)
	if status != StatusDelivery || !strings.Contains(out, "a.jsonl: invalid") || !strings.Contains(errs, "none.jsonl") {
		t.Errorf("check = %d, %q, %q, want 3, the other file and what failed", status, out, errs)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck_OneInputThatCannotBeReadHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := runLine("", "check", filepath.Join(dir, "none.jsonl"), dir)
	if status != StatusDelivery || !strings.Contains(out, "a.jsonl: invalid") || !strings.Contains(errs, "none.jsonl") {
		t.Errorf("check = %d, %q, %q, want 3, the other file and what failed", status, out, errs)
	}
}

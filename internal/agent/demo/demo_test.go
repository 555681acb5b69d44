package demo

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFill_WritesTheWorkspace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := Fill(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"greet.sh", "test.sh", "README.md"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(b) == 0 {
			t.Errorf("%s: %d bytes, %v, want content", name, len(b), err)
		}
	}
}

func TestFill_RefusesAFolderThatHoldsAnything(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".hidden"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Fill(dir); err == nil {
		t.Error("Fill of a folder with a file: want an error")
	}
	if entries, err := os.ReadDir(dir); len(entries) != 1 || err != nil {
		t.Errorf("folder holds %v, %v, want it untouched", entries, err)
	}
}

func TestPromptAndScript_AreThere(t *testing.T) {
	prompt, err := Prompt()
	if err != nil || prompt == "" {
		t.Errorf("Prompt() = %q, %v", prompt, err)
	}
	if script, err := Script(); err != nil || len(script) == 0 {
		t.Errorf("Script() has %d bytes, %v", len(script), err)
	}
}

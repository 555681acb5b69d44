package file

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A writer removes what killed ones left in its folder, and nothing else.
func TestSweep_OnlyWhatKilledWritersLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody can see there whether the writer of a file lives")
	}
	for name, replace := range map[string]func(path string, data []byte) error{"Replace": Replace, "WriteNew": WriteNew} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		left, begun := ".tmp-"+rand.Text(), ".tmp-"+rand.Text()
		for path, text := range map[string]string{left: "half", begun: "", ".tmp-notes": "a user's", "other": "x"} {
			if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		last := func(root *os.Root, from, to string) error {
			return errors.Join(replace(filepath.Join(dir, "new"), []byte("new")), root.Rename(from, to))
		}
		err = write(root, "living", 0o600, steps{asCreated, asCreated, last}, whole([]byte("whole")))
		if err != nil {
			t.Errorf("%s next to a writer = %v", name, err)
		}
		var have []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			have = append(have, e.Name())
		}
		if got := strings.Join(have, " "); got != begun+" .tmp-notes living new other" {
			t.Errorf("%s leaves %s, want all but %s", name, got, left)
		}
	}
}

// No other part of the program writes files in place: a kill would leave a half.
func TestWriters_NobodyElseWritesFiles(t *testing.T) {
	direct := regexp.MustCompile(`\bos\.(WriteFile|Create)\(`)
	top := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(top, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || name == filepath.Join("internal", "devtools") || name == filepath.Join("internal", "testkit")):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if at := direct.Find(text); at != nil {
			t.Errorf("%s has %s...), want a function of this package", filepath.ToSlash(name), at)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

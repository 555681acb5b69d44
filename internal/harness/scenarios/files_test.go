package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
)

// What cannot be read to its end, or only once, is refused before anything runs.
func TestFind_RefusesWhatIsNoScript(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.txtar")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, process.MaxInput+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{huge: "is larger than", os.DevNull: "is no regular file"} {
		if files, err := Find([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%s) = %v, %v, want an error that says %q", path, files, err, want)
		}
	}
}

// In a folder such a file stands for a script that fails.
func TestFind_WhatIsNoScriptInAFolder(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.txtar")
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, process.MaxInput+1); err != nil {
		t.Fatal(err)
	}
	all, err := Find([]string{dir})
	if err != nil || len(all) != 1 || all[0].Unreadable == nil {
		t.Fatalf("Find = %v, %v, want one that cannot be read", all, err)
	}
	run := (&suite{}).trying(func(context.Context, Script) scenarioresult.Script { panic("it was run") })
	if got := run(t.Context(), all[0]); got.Outcome != scenarioresult.Failed || len(got.Attempts) != 1 || !strings.Contains(got.Log, "is larger than") {
		t.Errorf("it came to %+v, want that it failed once", got)
	}
}

// Two scripts of one name in two folders are two: their names are their paths.
func TestFind_NamesAreUnique(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "x.txtar"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Find([]string{filepath.Join(dir, "a")}); err != nil || len(got) != 1 || got[0].Name != "x" {
		t.Errorf("Find = %v, %v, want x", got, err)
	}
	t.Chdir(dir)
	if got, err := Find([]string{"."}); err != nil || len(got) != 2 || got[0].Name != "a/x" || got[1].Name != "b/x" {
		t.Errorf("Find = %v, %v, want a/x and b/x", got, err)
	}
}

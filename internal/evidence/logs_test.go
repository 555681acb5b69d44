package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/runner"
)

// What an agent does to the folder does not undo what was received, and the
// caller is told.
func TestClose_LogsThatWereRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows removes no file that is open")
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	both := []string{EventsFile, StderrFile}
	for name, tt := range map[string]struct {
		do   func(dir string) error
		want []string
	}{
		"nothing":        {func(string) error { return nil }, nil},
		"log removed":    {func(dir string) error { return os.Remove(filepath.Join(dir, EventsFile)) }, both[:1]},
		"folder removed": {os.RemoveAll, both},
		"parent removed": {func(dir string) error { return os.RemoveAll(filepath.Dir(dir)) }, both},
		"another folder": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-moved"), os.MkdirAll(filepath.Join(dir, ManifestFile), 0o700))
		}, both},
		"link to another folder": {func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-moved"), os.Symlink(filepath.Dir(outside), dir))
		}, both},
		"link to nowhere": {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Symlink("nowhere", dir)) }, both},
		"file":            {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) }, both},
		"folder shut":     {func(dir string) error { return os.Chmod(dir, 0) }, nil},
		"link in its place": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, StderrFile)); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(dir, StderrFile))
		}, both[1:]},
		"folder in its place": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, EventsFile)); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(dir, EventsFile, "x"), 0o700)
		}, both[:1]},
	} {
		f, err := Open(Options{Dir: filepath.Join(t.TempDir(), "parent", "out")})
		if err != nil {
			t.Fatal(err)
		}
		f.Line(runner.Line{Raw: []byte("one\n")})
		if err := tt.do(f.Path()); err != nil {
			t.Fatal(err)
		}
		f.Line(runner.Line{Raw: []byte("two\n")})
		f.Stderr([]byte("log\n"))
		var want []string
		for _, log := range tt.want {
			want = append(want, "removed "+log+" from the evidence, want it left alone; what was received is saved again")
		}
		if got := f.Seal(t.Context()); !slices.Equal(got, want) {
			t.Errorf("%s: Seal = %q, want %q", name, got, want)
		}
		closeFolder(t, f, &runner.Execution{}, Closing{})
		for file, want := range map[string]string{EventsFile: "one\ntwo\n", StderrFile: "log\n"} {
			text, err := os.ReadFile(filepath.Join(f.Path(), file))
			if err != nil || string(text) != want {
				t.Errorf("%s: %s holds %q, %v, want %q", name, file, text, err, want)
			}
		}
		if _, err := os.Stat(filepath.Join(f.Path(), ManifestFile)); err != nil {
			t.Errorf("%s: %v, want a manifest", name, err)
		}
		// Root writes to a folder that is shut, but others read the evidence.
		if info, err := os.Stat(f.Path()); err != nil || info.Mode().Perm() != dirMode {
			t.Errorf("%s: the folder is %v, %v, want it open to its owner", name, info.Mode(), err)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "theirs" {
		t.Errorf("the file that a link led to holds %q, %v, want it as it was", text, err)
	}
}

// What the agent puts into the folder is in no report's place, and goes the way
// of artifacts: redacted, and without links and keys.
func TestClose_WhatTheAgentPutsThere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows may refuse links")
	}
	f := open(t)
	dir := f.Path()
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "notes"), []byte(secret), 0o600),
		os.WriteFile(filepath.Join(dir, ".env"), nil, 0o600),
		os.Symlink("/etc", filepath.Join(dir, "etc")),
		os.MkdirAll(filepath.Join(dir, ManifestFile, "x"), 0o700),
		os.MkdirAll(filepath.Join(dir, ArtifactsDir), 0o700),
		os.WriteFile(filepath.Join(dir, ArtifactsDir, "a"), []byte("forged"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const deed = "put 5 entries into the evidence folder, want none; they are treated as artifacts"
	if got := f.Seal(t.Context()); !slices.Equal(got, []string{deed}) {
		t.Errorf("Seal = %q, want %q", got, deed)
	}
	closeFolder(t, f, &runner.Execution{}, Closing{Artifacts: tree(t, map[string]string{"a": "theirs"})})
	want := map[string]string{
		"artifacts/a": "theirs", "artifacts/artifacts/a": "forged", "artifacts/notes": "[redacted]",
		EventsFile: "", StderrFile: "", FinalOutputFile: "",
	}
	files := map[string]string{}
	for _, file := range manifest(t, f).Files {
		files[file.Path] = read(t, f, file.Path)
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("the folder holds %v, %v, want its own files alone", entries, err)
	}
}

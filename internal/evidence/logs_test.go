package evidence

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/openagent-ci/openagent/runner"
)

// What an agent does to the folder does not undo what was received, and the
// caller is told.
func TestClose_LogsThatWereTakenAway(t *testing.T) {
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
		got := closeFolder(t, f, &runner.Execution{}, Closing{})
		if !slices.Equal(got.Restored, tt.want) {
			t.Errorf("%s: Close restored %q, want %q", name, got.Restored, tt.want)
		}
		for file, want := range map[string]string{EventsFile: "one\ntwo\n", StderrFile: "log\n"} {
			text, err := os.ReadFile(filepath.Join(f.Path(), file))
			if err != nil || string(text) != want {
				t.Errorf("%s: %s holds %q, %v, want %q", name, file, text, err, want)
			}
		}
		if _, err := os.Stat(filepath.Join(f.Path(), ManifestFile)); err != nil {
			t.Errorf("%s: %v, want a manifest", name, err)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "theirs" {
		t.Errorf("the file that a link led to holds %q, %v, want it as it was", text, err)
	}
}

package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
)

func TestFind(t *testing.T) {
	p := process.Env{Dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.Dir, "-x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"b": record.InfoName, "c": ManifestFile} {
		if err := errors.Join(os.Mkdir(filepath.Join(p.Dir, name), 0o700), os.WriteFile(filepath.Join(p.Dir, name, file), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"./a": filepath.Join(p.Dir, "a"),
		"-x":  filepath.Join(p.Dir, "-x"), // is there and can be no id
		"b":   filepath.Join(p.Dir, "b"),  // holds a run record
		"c":   filepath.Join(p.Dir, "c"),  // holds evidence
		"a":   filepath.Join(p.Dir, "state", "runs", "a"),
	} {
		if got, err := Find(p, filepath.Join(p.Dir, "state"), name); err != nil || got != want {
			t.Errorf("Find(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := Find(p, "", "-y"); !errors.Is(err, record.ErrID) {
		t.Errorf("Find(-y) = %v, want %v", err, record.ErrID)
	}
	if _, err := Find(p, filepath.Join(p.Dir, "state"), ""); err == nil {
		t.Error("Find without a name and without a run succeeds, want an error")
	}
}

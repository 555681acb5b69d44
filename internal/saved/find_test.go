package saved

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/record"
)

func TestFind(t *testing.T) {
	p := process.Place{Dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.Dir, "-x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"./a": filepath.Join(p.Dir, "a"),
		"-x":  filepath.Join(p.Dir, "-x"), // is there and can be no id
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

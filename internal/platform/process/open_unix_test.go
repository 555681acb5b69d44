//go:build unix

package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What may never come to an end is refused, and not opened.
func TestOpen_NoFiles(t *testing.T) {
	p := Env{Dir: t.TempDir()}
	pipe, file := filepath.Join(p.Dir, "pipe"), filepath.Join(p.Dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(p.Dir, "zero")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ open, file bool }{
		"file":               {true, true},
		"/dev/null":          {true, false},
		"/dev/zero":          {false, false},
		"zero":               {false, false},
		"/dev/../dev/random": {false, false},
	} {
		f, err := p.Open(t.Context(), name)
		if (err == nil) != want.open {
			t.Errorf("Open(%s) = %v, want it opened: %t", name, err, want.open)
		}
		if err == nil {
			f.Close()
		}
		f, err = p.OpenFile(t.Context(), name)
		if (err == nil) != want.file {
			t.Errorf("OpenFile(%s) = %v, want it opened: %t", name, err, want.file)
		}
		if err == nil {
			f.Close()
		}
	}
	for _, name := range []string{"pipe", ".", "none"} {
		if f, err := p.OpenFile(t.Context(), name); err == nil {
			f.Close()
			t.Errorf("OpenFile(%s) succeeds, want it refused", name)
		}
	}
}

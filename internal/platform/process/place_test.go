package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestIsScratch(t *testing.T) {
	work, lasting := t.TempDir(), t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		work: true, filepath.Join(work, "state", "runs"): true, // need not exist
		filepath.Dir(work): false, work + "-other": false, lasting: false, here: false,
	} {
		if got := (Env{Scratch: work}).IsScratch(name); got != want {
			t.Errorf("IsScratch(%s) below %s = %v, want %v", name, work, got, want)
		}
		if (Env{}).IsScratch(name) {
			t.Errorf("IsScratch(%s) in a process of its own is true", name)
		}
	}
	if runtime.GOOS == "windows" {
		return // links need a right that not every user has
	}
	link := filepath.Join(work, "link")
	if err := os.Symlink(lasting, link); err != nil {
		t.Fatal(err)
	}
	if (Env{Scratch: work}).IsScratch(filepath.Join(link, "state")) {
		t.Error("IsScratch through a link that leaves the folder is true")
	}
}

// A file is read without a goroutine and a copy for each read, and still ends with
// its context.
func TestPlace_OpenFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	f, err := Env{}.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 1<<10)
	if n := testing.AllocsPerRun(100, func() {
		if n, err := f.Read(buf); n != len(buf) || err != nil {
			t.Errorf("Read = %d, %v, want %d bytes", n, err, len(buf))
		}
	}); n != 0 {
		t.Errorf("Read allocates %v times, want none", n)
	}
	stopped := errors.New("stopped")
	cancel(stopped)
	if n, err := f.Read(buf); n != 0 || !errors.Is(err, stopped) {
		t.Errorf("Read after the end of the context = %d, %v, want %v", n, err, stopped)
	}
}

package process

import (
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
		if got := (Place{Scratch: work}).IsScratch(name); got != want {
			t.Errorf("IsScratch(%s) below %s = %v, want %v", name, work, got, want)
		}
		if (Place{}).IsScratch(name) {
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
	if (Place{Scratch: work}).IsScratch(filepath.Join(link, "state")) {
		t.Error("IsScratch through a link that leaves the folder is true")
	}
}

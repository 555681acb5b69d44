package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of a folder for shared memory what a run left goes with it, and nothing else.
func TestShared_Sweep(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "sandbox-test-") // a lease needs a file system that knows what is open
	if err != nil {
		t.Skip("no writable /dev/shm here: " + err.Error())
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string) {
		if err := os.WriteFile(at(name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("was there")
	s := lookShared(dir, nil)
	for _, name := range []string{"left", "in use"} {
		put(name)
	}
	used, err := os.Open(at("in use"))
	if err := errors.Join(err, os.Mkdir(at("folder"), 0o700), os.Symlink("left", at("link"))); err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	if os.Geteuid() == 0 {
		put("another user's")
		if err := os.Chown(at("another user's"), 4242, 4242); err != nil {
			t.Fatal(err)
		}
	}
	s.sweep()
	want := []string{"folder", "in use", "link", "was there"}
	if os.Geteuid() == 0 {
		want = append([]string{"another user's"}, want...)
	}
	if diff := cmp.Diff(want, namesIn(dir)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

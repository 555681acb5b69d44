package private

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a killed run left goes with the next one that ends: only what is ours by name
// and owner, has no lock and is not new, and nothing that a link leads to.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { giveBack(t, dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	place := func(name string, age time.Duration) {
		t.Helper()
		if err := os.MkdirAll(at(name+"/home/deep/er"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			os.WriteFile(at(name+"/home/deep/file"), nil, 0o400), os.Symlink(at("kept"), at(name+"/home/link")),
			os.Chmod(at(name+"/home/deep/er"), 0), os.Chmod(at(name+"/home/deep"), 0o500),
			os.Chtimes(at(name), time.Time{}, time.Now().Add(-age)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	place("kept", time.Hour)
	place(prefix+"left", time.Hour)
	place(prefix+"new", 0)
	place(prefix+"locked", time.Hour)
	want := []string{"kept", prefix + "file", prefix + "link", prefix + "locked", prefix + "new"}
	if os.Geteuid() == 0 {
		place(prefix+"other", time.Hour)
		if err := os.Chown(at(prefix+"other"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
		want = append(want, prefix+"other")
	}
	if err := os.Symlink(at("kept"), at(prefix+"link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at(prefix+"file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lock := Lock(at(prefix + "locked"))
	if lock == nil {
		t.Skip("folders cannot be locked here")
	}
	defer lock.Close()
	sweep(dir, time.Now())
	checkLeft(t, dir, want)
	if _, err := os.Stat(at("kept/home/deep/file")); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}

// giveBack gives the owner the rights again that TestSweep took from folders, without
// which only root could remove them.
func giveBack(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d == nil || !d.IsDir() || d.Name() == prefix+"other" {
			return nil
		}
		return os.Chmod(path, 0o700) // before it is read
	})
	if err != nil {
		t.Error(err)
	}
}

func checkLeft(t *testing.T, dir string, want []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("left is %q, want %q", got, want)
	}
}

// A folder is locked until it is removed.
func TestSweep_LeavesALiveFolderAlone(t *testing.T) {
	temp := t.TempDir()
	f, err := Make(temp, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	sweep(temp, time.Now().Add(time.Hour))
	if _, err := os.Stat(f.Temp()); err != nil {
		t.Errorf("a folder in use was swept away: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	checkLeft(t, temp, nil)
}

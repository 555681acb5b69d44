package harness

import (
	"os"
	"path/filepath"
	"testing"
)

// What no harness can be the value of ends nobody.
func TestEndLeft_EndsNobodyWithoutAMark(t *testing.T) {
	EndLeft("=", nil)
}

// The built-in agent sees to its own end; and where the program cannot be
// started again, as in this test, nothing is started in its place.
func TestRun_GuardIsForOtherAgents(t *testing.T) {
	ours := builtin(Builtin{})
	ours.Guard = true
	newRun(t, "", ours).startGuard()()
	newRun(t, "", other("agent")).startGuard()()
}

// The folder of a run goes with all that is in it, and with nothing that a link in
// it leads to; what has taken its name is not it, and no other folder is touched.
func TestEndLeft_RemovesTheFolderOfTheRun(t *testing.T) {
	parent := t.TempDir()
	outside := filepath.Join(parent, "outside")
	write := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "file"))
	for name, gone := range map[string]bool{tempPrefix + "1": true, tempPrefix + "renamed": false, "other": false} {
		dir := filepath.Join(parent, name)
		write(filepath.Join(dir, "home", "file"))
		if err := os.Symlink(outside, filepath.Join(dir, "home", "link")); err != nil {
			t.Skip("no links here: ", err)
		}
		temp, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer temp.Close()
		if name == tempPrefix+"renamed" {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				t.Skip("an open folder has no other name here: ", err)
			}
			write(filepath.Join(dir, "file"))
		}
		EndLeft("=", temp)
		if _, err := os.Lstat(dir); os.IsNotExist(err) != gone {
			t.Errorf("%s: %v, want it gone: %v", name, err, gone)
		}
	}
	for _, left := range []string{"outside/file", "other/home/file", tempPrefix + "renamed/file"} {
		if _, err := os.Stat(filepath.Join(parent, left)); err != nil {
			t.Error(err)
		}
	}
}
